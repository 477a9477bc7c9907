/** Where a call is, as a person sees it. */
export type CallStage =
  /** The model is still writing its input. */
  | 'writing'
  /** Its input is complete, and it waits for its turn. */
  | 'queued'
  | 'running'
  /** A person is asked whether it may run. */
  | 'asking'
  | 'approved'
  | 'done'
  | 'failed'
  | 'denied'
  /** The run ended before the call did. */
  | 'stopped'
  /** The process ended while it ran: what it did is not known. */
  | 'interrupted'
  /** What the model wrote is not a call that could be read. */
  | 'broken'

/** How a verb is said: while, after, and before. */
export interface VerbForms {
  /** "Reading" */
  doing: string
  /** "Read" */
  done: string
  /** "read", as after "will" and "to". */
  base: string
  /** "written", as after "not", where it is not `done`. */
  participle?: string
}

/** What a sentence about a call says of its verb: "Reading", "Read", "Will read", "Wants to read", … */
export type CallTense = 'doing' | 'done' | 'will' | 'wants' | 'failed' | 'denied' | 'stopped' | 'was'

/** What is counted in a result. */
export type CallUnit = 'line' | 'item' | 'match' | 'result' | 'file' | 'character'

/** The words of one language for `describeCall`. Its functions must not throw. */
export interface CallLocale {
  /** The verbs that names of tools are made of, by their English base form: tools have English names. */
  verbs: Readonly<Record<string, VerbForms>>
  /** The verb in a tense, with the rest of the tool's name if that says more: "Searched files". */
  say: (tense: CallTense, verb: VerbForms, object: string) => string
  states: Readonly<Record<CallStage, string>>
  /** In place of a verb where a call could not be read. */
  broken: string
  /** Beside a call that takes long and says nothing. */
  stillRunning: string
  /** Who decided; nobody is named where it was the person at the screen. */
  approvedBy: (name: string | undefined) => string
  deniedBy: (name: string | undefined) => string
  /** Beside a call that a policy refused, or that needed a yes and could ask no one. */
  notApproved: string
  interrupted: string
  exit: (code: number) => string
  /** Lines that were added and taken away. */
  diff: (added: number, removed: number) => string
  count: (count: number, unit: CallUnit) => string
  number: (value: number) => string
  duration: (milliseconds: number) => string
}
