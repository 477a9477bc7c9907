import type { CallLocale } from '@argot/core/stream'
import type { BoxLocale } from './box-locale.ts'
import type { PickerLocale } from './picker-locale.ts'

export interface BodyLocale {
  wrap: string
  /** Shows something long in its own pane. */
  open: string
  /** Draws a diff that was only counted. */
  showAnyway: string
  /** "Show all 1,240 lines · 84 kB" */
  showAll: (lines: string, size: string) => string
  showMore: (count: number) => string
  /** For a tree whose lines have not been counted. */
  showEverything: string
  /** Shows an input as written, if a diff or a command line replaces it. */
  showInput: string
  showLess: string
  /** For a text that is still being written: all of it, or the newest lines again. */
  showSoFar: string
  showNewest: string
  hiddenLines: (count: number) => string
  unchangedLines: (count: number) => string
  keys: (count: number) => string
  items: (count: number) => string
  tooManyChanges: (added: number, removed: number) => string
  bytes: (count: number) => string
  line: (number: number) => string
  fullSize: (name: string) => string
  close: string
  /** A picture from another origin, which is not loaded automatically. */
  foreignImage: (host: string) => string
  loadImage: string
  image: string
  emptyText: string
  emptyList: string
  emptyObject: string
  input: string
  output: string
  error: string
  result: string
  diff: string
  code: string
  table: string
  loading: string
  /** Shows every character of a body's source. */
  asText: string
  /** After a list or text that is too long to be drawn here. */
  restInText: string
  /** A program's exit status: "exit 1" */
  exit: (code: number) => string
  tests: {
    failed: (count: number) => string
    passed: (count: number) => string
    skipped: (count: number) => string
    /** Failures that are not listed: "and 12 more" */
    more: (count: number) => string
  }
  /** Replaces frames in dependencies. */
  libraryFrames: (count: number) => string
  rows: (count: number) => string
  showRows: (count: number) => string
  copyCsv: string
  headers: (count: number) => string
  /** Two pictures: the slider's name, its value in words, and the label of each side. */
  compare: (name: string | undefined) => string
  compared: (percent: number) => string
  before: string
  after: string
  sideBySide: string
  /** A citation mark in an answer: "Source 2: The title" */
  cited: (number: number, title: string) => string
}

/** The words of cards and rows. */
export interface CardLocale {
  copy: string
  copied: string
  /** The browser refuses. */
  notCopied: string
  /** The accessible name of a copy button: "Copy the output". */
  copyOf: (name: string) => string
  input: string
  output: string
  /** The model's text, if it is not a call or if a person changed it. */
  modelWrote: string
  partialOutput: string
  stop: string
  runAgain: string
  /** The name of the link to a call's result, by its host and path. */
  openLink: (place: string) => string
  /** Next to a failed call, if a later try passed. */
  repaired: (tries: number) => string
  runAgainNote: string
  edited: string
  showModelInput: string
  hideModelInput: string
  copyJson: string
  calls: (count: number) => string
  inParallel: (count: number) => string
  /** "Read 12 files" */
  readFiles: (count: number) => string
  noNewsSince: (time: string) => string
  /** Another client answered, and this page does not know what. */
  answeredElsewhere: string
  thought: (duration: string | undefined) => string
  thinking: string
  answeredBy: (approved: boolean, name: string | undefined, time: string | undefined) => string
  clock: (milliseconds: number) => string
  /** The buttons' names for assistive technology, which include the call. */
  named: (action: string, call: string) => string
  after: (duration: string) => string
}

export interface ApprovalLocale {
  needsYou: string
  effects: Readonly<Record<'read' | 'write' | 'exec' | 'net' | 'interrupted', string>>
  /** The call is in the document: no model of this run made it. */
  foreign: string
  /** A question in the row's words: "Delete 2 files?" */
  question: (verb: string, subject: string | undefined) => string
  rule: (rule: string) => string
  /** What a call would do to an existing file: "Deletes a.ts (84 lines)". */
  change: (
    operation: 'add' | 'update' | 'move' | 'delete',
    from: string,
    to: string,
    lines: number | undefined,
  ) => string
  /** The call would do to the files what the question shows; checked at this time, in milliseconds since 1970. */
  applies: (at: number) => string
  /** The call would fail. `didApply`: it would not have failed at the time of the question. */
  fails: (problem: string, didApply: boolean) => string
  /** The call would do something other than the question shows. */
  changed: string
  /** Denies a call that would fail, and sends the model the reason. */
  denyStale: string
  /** The reason that the model receives then. */
  staleReason: (problem: string) => string
  /** A yes can't be undone. */
  lasting: string
  /** How many changes a person may choose from. */
  changeCount: (count: number) => string
  /** What one of several changes does to a file, after its path: "new file". */
  fileChange: (operation: 'add' | 'move' | 'delete', from: string) => string
  /** The two answers to one of several changes. */
  keep: string
  leaveOut: string
  /** Every change is left out, so there is nothing to approve. */
  nothingKept: string
  /** The yes to some of the changes; `hidden` lines of all of them are not shown. */
  approvePart: (kept: number, all: number, hidden: number) => string
  approve: string
  approveCut: (lines: number) => string
  approveEdited: string
  deny: string
  denyNow: string
  cancel: string
  edit: string
  always: string
  alwaysTool: (name: string) => string
  untilRunEnds: string
  whyNot: string
  putBack: string
  /** Shown before the value that the model wrote. */
  modelWrote: string
  editedField: (name: string) => string
  invalidField: (name: string) => string
  /** Before a text whose field can't show all of its characters. */
  hasHidden: (name: string) => string
  /** Why a question's buttons are disabled: this page can't answer it. */
  shownOnly: string
  sending: string
  refused: (error: string) => string
}

export interface AskUserLocale {
  needsAnswer: string
  other: string
  answer: string
  send: string
  answered: string
}

export interface WidgetLocale {
  thinking: string
  /** No call runs, and the message is not over. */
  writing: string
  noCallYet: string
  used: (count: number) => string
  /** This many of them were denied, or stopped before they began. */
  notRun: (count: number) => string
  failed: (count: number) => string
}

export interface RunLocale {
  working: (duration: string | undefined) => string
  /** There is no more news from it: "Working, last seen at 21 s" */
  lastSeen: (duration: string | undefined) => string
  worked: (duration: string | undefined) => string
  stopped: (duration: string | undefined) => string
  /** How long it waited for a person: "waited 2 min for you". */
  waited: (duration: string) => string
  /** The same on the strip: "you · 2 min". */
  notch: (duration: string) => string
  calls: (count: number) => string
  failed: (count: number) => string
  needYou: (count: number) => string
  filesChanged: (count: number) => string
  openAll: string
}

/** The words of the parts: everything that a standalone card needs. Their functions must not throw. */
export interface PartLocale {
  /** The words of `describeCall`. */
  call: CallLocale
  body: BodyLocale
  card: CardLocale
  approval: ApprovalLocale
  askUser: AskUserLocale
  widget: WidgetLocale
  run: RunLocale
}

/** Every string that users see, in one language. Its functions must not throw. */
export interface ChatLocale extends PartLocale {
  box: BoxLocale
  pickers: PickerLocale
}

export type ClosedCardLocale = Pick<PartLocale, 'call' | 'card'>

/** The words of the box around the parts; each part loads its own. */
export type FrameLocale = Pick<ChatLocale, 'call' | 'card' | 'run' | 'box'>

/** How a locale names one of the actions of calls. */
export type LocaleVerb = CallLocale['verbs'][string]
