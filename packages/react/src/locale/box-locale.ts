export interface BoxLocale {
  conversation: string
  you: string
  assistant: string
  /** Names of messages with any other role. */
  role: (role: string) => string
  empty: string
  emptyHint: string
  latest: string
  latestNeedsYou: string
  placeholder: string
  placeholderRunning: string
  /** While calls wait for an answer: sending denies them. */
  placeholderDenies: string
  placeholderAnswers: string
  composer: string
  send: string
  queue: string
  deny: string
  stop: string
  escapeAgain: string
  /** The key that sends: "Enter" */
  sendKey: (withControl: boolean) => string
  /** Next to the send button: what the key does during a run. */
  hintQueues: (key: string) => string
  /** While the run accepts messages. */
  hintSteers: (key: string) => string
  /** The button that makes a message join the run. */
  steer: string
  /** Messages that join at the next step. */
  steering: string
  hintDenies: (key: string, count: number) => string
  attach: string
  removeFile: (name: string) => string
  tooManyFiles: (most: number) => string
  tooLargeFile: (name: string, bytes: number) => string
  dropFiles: string
  queued: string
  editQueued: (text: string) => string
  sendNow: (text: string) => string
  removeQueued: (text: string) => string
  /** "3 calls need you" */
  needYou: (count: number) => string
  review: string
  reviewTitle: (count: number) => string
  approveAll: (count: number) => string
  close: string
  /** "Connection lost." */
  lost: string
  runGoesOn: (seconds: number) => string
  /** After several tries: the page's content is from this time. */
  serverGone: (time: string) => string
  loading: string
  loadingOlder: string
  showOlder: string
  tryNow: string
  failed: string
  retry: string
  copyDetails: string
  details: string
  continueRun: string
  find: string
  /** In its own pane. */
  findHere: string
  findNext: string
  findPrevious: string
  /** "2 of 14" */
  found: (at: number, count: number) => string
  copyConversation: string
  editMessage: string
  /** Above the composer while an earlier message is edited: if that makes a branch, and if it does not. */
  editing: string
  editingHere: string
  cancelEdit: string
  tryAgain: string
  /** The button that opens the menu next to it, and the menu. */
  tryOther: string
  trySame: string
  otherModel: string
  otherSyntax: string
  /** The toolbar below an answer. */
  actions: string
  /** The copied content: "the answer" */
  answer: string
  good: string
  bad: string
  /** "14:03" */
  timeOfDay: (milliseconds: number) => string
  /** "1,157 tokens" */
  tokens: (count: number) => string
  /** "Answer 2 of 3", and the short form: "2/3". */
  branch: (at: number, count: number) => string
  branchPlace: (at: number, count: number) => string
  previousBranch: string
  nextBranch: string
  file: (name: string) => string
  source: string
  /** Before one of Argot's notices about a reply. */
  notice: string
  /** Argot's message to the model in the middle of a run. */
  correction: (text: string) => string
  /** Replaces older turns in the prompt. */
  summary: (replaces: number) => string
  /** A turn's changes, below its answer. */
  changes: {
    label: string
    /** "and 3 more" */
    more: (count: number) => string
    added: (count: number) => string
    removed: (count: number) => string
    reviewAll: string
    title: (count: number) => string
    next: string
    previous: string
    noDiff: string
    undo: string
    /** The question, and the effect of a yes. */
    undoTitle: string
    restores: (names: string, count: number) => string
    leaves: (name: string, reason: string) => string
    notUndone: (effects: string) => string
    cancel: string
    working: string
    /** "Undone at 14:03" */
    undone: (time: string) => string
    failed: (message: string) => string
  }
  announce: {
    started: string
    asks: (call: string) => string
    question: (question: string | undefined) => string
    complete: string
    stopped: string
    runFailed: string
    waiting: string
  }
  titleMark: string
}
