import { english } from '@argot/core/stream'
import type { PartLocale } from './chat-locale.ts'
import { englishRun } from './english-box.ts'
import { clock, englishCard, plural } from './english-card.ts'

const { number } = english

export const englishParts: PartLocale = {
  ...englishCard,
  body: {
    wrap: 'Wrap',
    open: 'Open',
    showAnyway: 'Show it here',
    showAll: (lines, size) => `Show all ${lines} · ${size}`,
    showMore: count => `Show ${number(count)} more`,
    showEverything: 'Show everything',
    showInput: 'Show the whole input',
    showLess: 'Show less',
    showSoFar: 'Show all so far',
    showNewest: 'Show the newest lines',
    hiddenLines: count => `⋯ ${lines(count)}`,
    unchangedLines: count => `⋯ ${number(count)} unchanged ${count === 1 ? 'line' : 'lines'}`,
    keys: count => plural(count, 'key', 'keys'),
    items: count => plural(count, 'item', 'items'),
    tooManyChanges: (added, removed) => `${number(added)} lines added, ${number(removed)} removed`,
    bytes,
    line: at => `line ${number(at)}`,
    fullSize: name => `Show ${name} in full size`,
    close: 'Close',
    foreignImage: host => `Image from ${host}, not loaded`,
    loadImage: 'Load it',
    image: 'image',
    emptyText: 'empty',
    emptyList: 'empty list',
    emptyObject: 'no values',
    input: 'input',
    output: 'output',
    error: 'error',
    result: 'result',
    diff: 'diff',
    code: 'code',
    table: 'the table',
    loading: 'Loading…',
    asText: 'As text',
    restInText: 'The rest is in “As text”.',
    exit: code => `exit ${code}`,
    tests: {
      failed: count => `${number(count)} failed`,
      passed: count => `${number(count)} passed`,
      skipped: count => `${number(count)} skipped`,
      more: count => `and ${number(count)} more`,
    },
    libraryFrames: count => `⋯ ${plural(count, 'library line', 'library lines')}`,
    rows: count => plural(count, 'row', 'rows'),
    showRows: count => `Show ${number(count)} rows`,
    copyCsv: 'Copy as CSV',
    headers: count => plural(count, 'header', 'headers'),
    compare: name => (name === undefined ? 'Compare before and after' : `Compare before and after: ${name}`),
    compared: percent => `${percent} % before, ${100 - percent} % after`,
    before: 'Before',
    after: 'After',
    sideBySide: 'Side by side',
    cited: (at, title) => `Source ${at}: ${title}`,
  },
  approval: {
    needsYou: 'Needs you',
    effects: {
      read: 'reads only',
      write: 'changes files',
      exec: 'runs a command',
      net: 'uses the network',
      interrupted: 'was interrupted, may run twice',
    },
    foreign: 'This call was in the document: no model made it in this run.',
    question: (verb, subject) => `${capital(verb)}${subject === undefined ? '' : ` ${subject}`}?`,
    rule: rule => `The rule ${rule} requires approval.`,
    change: (operation, from, to, count) => {
      const size = count === undefined ? '' : ` (${lines(count)})`
      if (operation === 'move') return `Moves ${from} to ${to}${size}.`
      return `${operation === 'delete' ? 'Deletes' : operation === 'add' ? 'Creates' : 'Changes'} ${from}${size}.`
    },
    applies: at => `Still applies, checked ${minute(at)}`,
    fails: (problem, didApply) => `${didApply ? 'This no longer applies.' : 'This would fail.'} ${problem}`.trim(),
    changed: 'A file has changed since you were asked, so the call would do something else.',
    denyStale: 'Deny and ask for a new read',
    staleReason: problem => `${problem} Read the file again.`,
    lasting: "can't be undone",
    changeCount: count => plural(count, 'change', 'changes'),
    fileChange: (operation, from) =>
      operation === 'add' ? 'new file' : operation === 'delete' ? 'deletes the file' : `moved from ${from}`,
    keep: 'Keep',
    leaveOut: 'Leave out',
    nothingKept: 'Every change is left out. Keep one, or deny the call.',
    approvePart: (kept, all, hidden) =>
      `Approve ${number(kept)} of ${number(all)}${hidden > 0 ? ` (${lines(hidden)} not shown)` : ''}`,
    approve: 'Approve',
    approveCut: count => `Approve (${lines(count)} not shown)`,
    approveEdited: 'Approve with changes',
    deny: 'Deny…',
    denyNow: 'Deny',
    cancel: 'Cancel',
    edit: 'Edit input',
    always: 'Always in this run',
    alwaysTool: name => `Every call to ${name}`,
    untilRunEnds: 'Until this run ends',
    whyNot: 'Why not? The model reads this',
    putBack: 'Put it back',
    modelWrote: 'The model wrote',
    editedField: name => `${name} · edited`,
    invalidField: name => `${name} is not valid JSON.`,
    hasHidden: name => `${name} has characters that a field can't show:`,
    shownOnly: "This view only shows the call: it can't be answered here.",
    sending: 'Sending…',
    refused: error => `This answer was not accepted: ${error}`,
  },
  askUser: {
    needsAnswer: 'Needs you · a question',
    other: 'Something else',
    answer: 'Your answer',
    send: 'Answer',
    answered: 'You answered',
  },
  widget: {
    thinking: 'Thinking…',
    writing: 'Writing the answer',
    noCallYet: 'No call yet.',
    used: count => `Used ${plural(count, 'tool', 'tools')}`,
    notRun: count => `${number(count)} not run`,
    failed: count => `${number(count)} failed`,
  },
  run: englishRun,
}

function lines(count: number): string {
  return plural(count, 'line', 'lines')
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

/** "640 B", "2.3 kB", "84 kB", "5.0 MB". */
function bytes(count: number): string {
  if (count < 1000) return `${count} B`
  const [value, unit] = count < 999_500 ? [count / 1000, 'kB'] : [count / 1_000_000, 'MB']
  return `${value < 9.95 ? value.toFixed(1) : number(Math.round(value))} ${unit}`
}

/** "14:02", with the day unless it is today. */
function minute(milliseconds: number): string {
  const time = clock(milliseconds).slice(0, 5)
  const date = new Date(milliseconds)
  const isToday = date.toDateString() === new Date().toDateString()
  return isToday ? time : `${date.toLocaleDateString('en', { month: 'short', day: 'numeric' })}, ${time}`
}
