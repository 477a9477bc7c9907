import { english } from '@argot/core/stream'
import type { PartLocale } from './chat-locale.ts'

const { number } = english

/** The English words of every part, which are the default. */
export const englishParts: PartLocale = {
  call: english,
  body: {
    copy: 'Copy',
    copied: 'Copied',
    notCopied: 'Not copied',
    copyOf: name => `Copy ${name}`,
    wrap: 'Wrap',
    open: 'Open',
    showAnyway: 'Show it here',
    showAll: (lines, size) => `Show all ${lines} · ${size}`,
    showMore: count => `Show ${number(count)} more`,
    showEverything: 'Show all of it',
    showInput: 'Show all of the input',
    showLess: 'Show less',
    showSoFar: 'Show all of it so far',
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
    loading: 'Loading…',
  },
  card: {
    input: 'Input',
    output: 'Output',
    modelWrote: 'what the model wrote',
    partialOutput: 'what it printed before',
    stop: 'Stop',
    runAgain: 'Run again',
    runAgainNote: 'It may do twice what it did before.',
    edited: 'edited',
    showModelInput: "Show the model's own input",
    hideModelInput: "Hide the model's own input",
    copyJson: 'Copy JSON',
    calls: count => plural(count, 'call', 'calls'),
    inParallel: count => `${plural(count, 'call', 'calls')} in parallel`,
    readFiles: count => `Read ${plural(count, 'file', 'files')}`,
    noNewsSince: time => `no news since ${time}`,
    answeredElsewhere: 'answered elsewhere',
    thought: duration => (duration === undefined ? 'Thought' : `Thought for ${duration}`),
    thinking: 'Thinking…',
    answeredBy: (approved, name, time) =>
      `${approved ? 'Approved' : 'Denied'} by ${name ?? 'you'}${time === undefined ? '' : `, ${time}`}`,
    clock,
    after: duration => `after ${duration}`,
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
    foreign: 'The document holds this call: no model of this run made it.',
    question: (verb, subject) => `${capital(verb)}${subject === undefined ? '' : ` ${subject}`}?`,
    rule: rule => `Asked because of the rule ${rule}.`,
    change: (operation, from, to, count) => {
      const size = count === undefined ? '' : ` (${lines(count)})`
      if (operation === 'move') return `Moves ${from} to ${to}${size}.`
      return `${operation === 'delete' ? 'Deletes' : operation === 'add' ? 'Creates' : 'Changes'} ${from}${size}.`
    },
    applies: time => `Still applies, checked ${time}`,
    fails: problem => `This would fail now. ${problem}`,
    changed: 'A file was changed since this was asked, so the call would do something else.',
    denyStale: 'Deny and ask to read again',
    staleReason: problem => `${problem} Read the file again.`,
    approve: 'Approve',
    approveCut: count => `Approve (${lines(count)} not shown)`,
    approveEdited: 'Approve with changes',
    deny: 'Deny…',
    denyNow: 'Deny',
    cancel: 'Cancel',
    edit: 'Edit input',
    always: 'Always in this run',
    alwaysTool: name => `Every call of ${name}`,
    untilRunEnds: 'Until this run ends',
    whyNot: 'Why not? The model reads this',
    putBack: 'Put it back',
    modelWrote: 'The model wrote',
    editedField: name => `${name} · edited`,
    invalidField: name => `${name} is not valid JSON.`,
    hasHidden: name => `${name} has characters that a field does not show:`,
    sending: 'Sending…',
    refused: error => `This answer was not accepted: ${error}`,
    named: (action, call) => `${action}: ${call}`,
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
  run: {
    working: duration => (duration === undefined ? 'Working' : `Working for ${duration}`),
    lastSeen: duration => (duration === undefined ? 'Working, no news since' : `Working, last seen at ${duration}`),
    worked: duration => (duration === undefined ? 'Worked' : `Worked for ${duration}`),
    stopped: duration => (duration === undefined ? 'Stopped' : `Stopped after ${duration}`),
    calls: count => plural(count, 'call', 'calls'),
    failed: count => `${number(count)} failed`,
    needYou: count => `${number(count)} ${count === 1 ? 'needs' : 'need'} you`,
    filesChanged: count => `${plural(count, 'file', 'files')} changed`,
    openAll: 'Open all',
  },
}

function plural(count: number, one: string, many: string): string {
  return `${number(count)} ${count === 1 ? one : many}`
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

/** The time of day where the reader is: "14:05:40". */
function clock(milliseconds: number): string {
  const date = new Date(milliseconds)
  const two = (value: number) => String(value).padStart(2, '0')
  return Number.isNaN(date.getTime()) ? '' : [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')
}
