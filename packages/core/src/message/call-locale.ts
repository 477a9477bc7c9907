export type CallStage =
  | 'writing'
  /** Its input is complete, and it waits for its turn. */
  | 'queued'
  | 'running'
  | 'asking'
  | 'approved'
  | 'done'
  | 'failed'
  | 'denied'
  /** The run ended before the call did. */
  | 'stopped'
  /** The process ended while it ran, so its effects are unknown. */
  | 'interrupted'
  /** The model's text could not be read as a call. */
  | 'broken'

export interface VerbForms {
  /** "Reading" */
  doing: string
  /** "Read" */
  done: string
  /** "read", as after "will" and "to". */
  base: string
  /** "written", as after "not", if it differs from `done`. */
  participle?: string
}

/** The form of the verb in a sentence about a call: "Reading", "Read", "Will read", "Wants to read", … */
export type CallTense = 'doing' | 'done' | 'will' | 'wants' | 'failed' | 'denied' | 'stopped' | 'was'

export type CallUnit = 'line' | 'item' | 'match' | 'result' | 'file' | 'character'

/** One language's words for `describeCall`. Its functions must not throw. */
export interface CallLocale {
  /** The verbs in tool names, by their English base form: tools have English names. */
  verbs: Readonly<Record<string, VerbForms>>
  /** The verb in a tense, plus the rest of the tool's name if that adds something: "Searched files". */
  say: (tense: CallTense, verb: VerbForms, object: string) => string
  states: Readonly<Record<CallStage, string>>
  /** Replaces the verb if a call could not be read. */
  broken: string
  /** Shown for a call that takes long without any output. */
  stillRunning: string
  /** Who decided. There is no name if it was the person at the screen. */
  approvedBy: (name: string | undefined) => string
  deniedBy: (name: string | undefined) => string
  /** Shown for a call that a policy refused, or that needed an approval no one could give. */
  notApproved: string
  interrupted: string
  exit: (code: number) => string
  diff: (added: number, removed: number) => string
  count: (count: number, unit: CallUnit) => string
  number: (value: number) => string
  duration: (milliseconds: number) => string
}
