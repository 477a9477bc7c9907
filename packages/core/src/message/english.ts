import type { CallLocale, CallTense, CallUnit, VerbForms } from './call-locale.ts'

const units: Readonly<Record<CallUnit, [one: string, many: string]>> = {
  line: ['line', 'lines'],
  item: ['item', 'items'],
  match: ['match', 'matches'],
  result: ['result', 'results'],
  file: ['file', 'files'],
  character: ['character', 'characters'],
}

const tenses: Readonly<Record<CallTense, (verb: VerbForms) => string>> = {
  doing: ({ doing }) => doing,
  done: ({ done }) => done,
  will: ({ base }) => `Will ${base}`,
  wants: ({ base }) => `Wants to ${base}`,
  failed: ({ base }) => `Could not ${base}`,
  denied: ({ done, participle }) => `Not ${participle ?? done.toLowerCase()}`,
  stopped: ({ doing }) => `Stopped ${doing.toLowerCase()}`,
  was: ({ doing }) => `Was ${doing.toLowerCase()}`,
}

/** The English words for `describeCall`, which are the default. */
export const english: CallLocale = {
  verbs: {
    append: { doing: 'Appending to', done: 'Appended to', base: 'append to' },
    create: { doing: 'Creating', done: 'Created', base: 'create' },
    delete: { doing: 'Deleting', done: 'Deleted', base: 'delete' },
    edit: { doing: 'Editing', done: 'Edited', base: 'edit' },
    fetch: { doing: 'Fetching', done: 'Fetched', base: 'fetch' },
    find: { doing: 'Finding', done: 'Found', base: 'find' },
    get: { doing: 'Getting', done: 'Got', base: 'get' },
    list: { doing: 'Listing', done: 'Listed', base: 'list' },
    look: { doing: 'Looking', done: 'Looked', base: 'look' },
    move: { doing: 'Moving', done: 'Moved', base: 'move' },
    open: { doing: 'Opening', done: 'Opened', base: 'open' },
    read: { doing: 'Reading', done: 'Read', base: 'read' },
    run: { doing: 'Running', done: 'Ran', base: 'run', participle: 'run' },
    search: { doing: 'Searching', done: 'Searched', base: 'search' },
    send: { doing: 'Sending', done: 'Sent', base: 'send' },
    update: { doing: 'Updating', done: 'Updated', base: 'update' },
    write: { doing: 'Writing', done: 'Wrote', base: 'write', participle: 'written' },
  },
  say: (tense, verb, object) => `${tenses[tense](verb)}${object === '' ? '' : ` ${object}`}`,
  states: {
    writing: 'being written',
    queued: 'queued',
    running: 'running',
    asking: 'needs you',
    approved: 'approved',
    done: 'done',
    failed: 'failed',
    denied: 'denied',
    stopped: 'stopped',
    interrupted: 'interrupted',
    broken: 'failed',
  },
  broken: 'The call could not be read',
  stillRunning: 'still running',
  approvedBy: name => (name === undefined ? 'approved by you' : `approved by ${name}`),
  deniedBy: name => (name === undefined ? 'you denied it' : `denied by ${name}`),
  notApproved: 'not approved',
  interrupted: 'interrupted: its effect is unknown',
  exit: code => `exit ${code}`,
  diff: (added, removed) => `+${formatNumber(added)} −${formatNumber(removed)}`,
  count: (count, unit) => `${formatNumber(count)} ${units[unit][count === 1 ? 0 : 1]}`,
  number: formatNumber,
  duration: formatDuration,
}

/**
 * "1,234.5", like `toLocaleString`, but without the 16 ms that a process needs to load its tables. From 1e21 with an
 * exponent, instead of hundreds of digits.
 */
function formatNumber(value: number): string {
  const [whole = '', ...fraction] = String(Number(value.toFixed(3))).split('.')
  return [whole.replace(/\B(?=(?:\d{3})+$)/g, ','), ...fraction].join('.')
}

/** "0.4 s", "8.4 s", "42 s", "3 min 5 s", "2 h 5 min". */
function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000
  if (seconds < 10) return `${(Math.floor(seconds * 10) / 10).toFixed(1)} s`
  const whole = Math.floor(seconds)
  if (whole < 60) return `${whole} s`
  return whole < 3600 ? twoUnits(whole, 'min', 's') : twoUnits(Math.floor(whole / 60), 'h', 'min')
}

function twoUnits(value: number, large: string, small: string): string {
  const rest = value % 60
  return `${Math.floor(value / 60)} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`
}
