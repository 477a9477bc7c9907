import type { RunResource } from '@argot/server/api'

export type DocumentTemplateName = 'empty' | 'research' | 'coding' | 'mcp' | 'document'

export type OfferedToolName =
  | 'read_dir'
  | 'read_file'
  | 'glob'
  | 'grep'
  | 'markdown_search'
  | 'find_and_replace'
  | 'apply_patch'
  | 'write_file'
  | 'webpage_to_markdown'

/** Every string of the page itself, in one language. The conversation's strings are in that language's `ChatLocale`. */
export interface PageLocale {
  close: string
  cancel: string
  reload: string
  tryNow: string
  /** Before the documents were ever loaded. */
  serverGone: string
  /** The data shown is this old, and unsent text is stored. */
  serverGoneSince: (time: string) => string
  /** Shows how a document on the disk differs. */
  showChanges: string
  changedOnDisk: string
  number: (value: number) => string
  /** A time of day: "14:05:40". */
  time: (date: Date) => string
  date: (date: Date) => string
  /** "15.4 s", "3 min 5 s" */
  seconds: (milliseconds: number) => string
  documents: {
    title: string
    new: string
    search: string
    /** The accessible name of the search. */
    searchAll: string
    noMatch: string
    count: (count: number) => string
    matches: (matches: number, count: number) => string
    playground: string
    /** In the folder, or at this address, there is no document. */
    none: string
    noneHint: string
    openExample: string
    missing: (path: string) => string
    missingHint: string
    states: Readonly<Record<'waiting' | 'running' | 'failed', string>>
  }
  conversations: {
    pinned: string
    /** Above the documents that are not pinned. */
    others: string
    inMessages: string
    searching: string
    branchedFrom: (title: string) => string
    menu: (title: string) => string
    pin: string
    unpin: string
    rename: string
    move: string
    duplicate: string
    delete: string
    deleted: (title: string) => string
    undo: string
    title: string
    titleHint: string
    fileName: string
    folder: string
    noFolder: string
    trash: string
    trashEmpty: string
    deletedAt: (date: Date) => string
    restore: string
    restoreOne: (path: string) => string
    olderLeftOut: (count: number) => string
  }
  newDocument: {
    beginWith: string
    templates: Readonly<Record<DocumentTemplateName, { label: string; does: string }>>
    document: string
    choose: string
    tools: string
    toolDoes: Readonly<Record<OfferedToolName, string>>
    /** After a tool's description: each of its calls asks for approval. */
    asksFirst: (does: string) => string
    server: string
    serverHint: string
    serverNote: string
    add: string
    remove: string
    removeOne: (name: string) => string
    system: string
    file: string
    create: string
    preview: string
    writtenTo: (path: string) => string
    empty: string
    model: string
    syntax: string
    asServer: string
    notReady: string
    keyFor: (provider: string) => string
    storeKey: string
    keyNote: string
    stored: string
    storedNotUsed: string
    /** Before the command that stores a key. */
    keyElsewhere: string
  }
  inbox: {
    title: string
    /** After the count, for screen readers. */
    calls: (count: number) => string
    label: string
    nothing: string
    nothingHint: string
    showMore: (count: number) => string
    notify: string
    notification: (count: number) => string
    /** Before the name in the window title. */
    titleWaiting: string
    titleNothing: string
  }
  header: {
    more: string
    source: string
    model: (name: string) => string
    syntax: (name: string) => string
    asDocument: string
    nativeSyntax: string
    autoSyntax: string
    newestRun: (usage: string) => string
    replay: string
    states: Readonly<Record<'running' | 'interrupted' | 'failed' | 'stopped', string>>
  }
  conversation: {
    suggestions: readonly string[]
    placeholder: string
    noTools: string
    tools: (names: string) => string
    /** Around the example of an element. */
    toolsAre: string
    toolsHint: string
    /** Says that this is the demo model; variable names are written as `NAME`. */
    demo: string
    diffName: string
    approvals: (mode: string) => string
    modes: Readonly<Record<'all' | 'ask' | 'readonly' | 'none', { label: string; note: string }>>
  }
  commands: {
    find: string
    copy: string
    replay: string
    html: string
    markdown: string
    json: string
    chatmd: string
    notCopied: string
    noRun: string
  }
  source: {
    title: string
    modelTab: string
    view: string
    close: string
    width: string
    usualWidth: string
    pixels: (count: number) => string
    textOf: (path: string) => string
    findings: string
    error: string
    fix: string
    line: (line: number) => string
    save: string
    done: string
    discard: string
    edit: string
    undo: string
    format: string
    keepMine: string
    noFormatter: string
    notFormatted: string
    isFormatted: string
    diffName: string
    errors: (count: number) => string
    warnings: (count: number) => string
    notSaved: string
    savedAt: (time: string) => string
    beingWritten: string
    showAllLines: (count: number) => string
    showAllCharacters: (count: number) => string
    modelSees: (path: string) => string
    hasErrors: string
    aboutTokens: (count: number) => string
    tokens: (count: number) => string
    tools: (names: string) => string
    added: (origin: string) => string
  }
  machine: {
    title: string
    back: string
    on: string
    play: string
    pause: string
    speed: string
    export: string
    fork: string
    moment: string
    run: string
    runStates: Readonly<Record<RunResource['state'], string>>
    runTime: (date: Date) => string
    chunks: string
    kindsOfChunks: string
    kinds: Readonly<Record<'all' | 'text' | 'calls' | 'run', string>>
    where: (chunk: number, chunks: number, time: string, duration: string) => string
    momentText: (chunk: number, chunks: number, time: string, words: string) => string
    saidNothing: string
    moments: Readonly<
      Record<'start' | 'writes' | 'thinks' | 'end' | 'stopped' | 'failed' | 'between' | 'begins', string>
    >
  }
  /** Before the name in the window title. */
  titles: { working: string; done: string }
  /** Links to a call or a chunk of a run. */
  moments: {
    copy: string
    copyCall: string
    copied: string
    seeCall: string
    notCopied: string
    noCall: string
    noRun: string
    heading: string
    runGone: string
    callGone: string
    tooFar: (chunks: number) => string
    open: string
  }
  palette: {
    title: string
    placeholder: string
    field: string
    results: string
    nothing: string
    groups: Readonly<Record<'documents' | 'calls' | 'commands' | 'settings', string>>
    question: string
    inbox: string
    stop: string
    link: (call: string) => string
    showSource: string
    hideSource: string
    side: string
    themes: Readonly<Record<'system' | 'light' | 'dark', string>>
    enterSends: string
    notificationsOn: string
    notificationsOff: string
  }
  /** Calls that run without a question for an hour. */
  relax: {
    offer: (folder: string) => string
    hint: string
    /** In bold, before `until`. */
    mark: (folder: string) => string
    until: (time: string) => string
    off: string
    offLabel: (folder: string) => string
    thisFolder: string
  }
  syntaxes: { filter: string; favourite: (name: string) => string }
  usage: {
    label: string
    cost: (tokens: string, cost: string) => string
    split: (input: number, output: number) => string
  }
  keys: {
    title: string
    groups: Readonly<Record<'write' | 'read' | 'answer' | 'page' | 'machine', string>>
    /** What the keys do; a dot separates the actions of different keys. */
    does: Readonly<
      Record<
        | ('sends' | 'newLineSends' | 'queue' | 'stop' | 'editLast')
        | ('move' | 'call' | 'find' | 'link' | 'approve' | 'question')
        | ('panes' | 'palette' | 'documents' | 'save' | 'list' | 'chunks' | 'ends'),
        string
      >
    >
    enterIsNewLine: (control: string) => string
  }
  language: string
}
