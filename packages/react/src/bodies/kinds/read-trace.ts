/** A line of a stack trace. `own` is a frame in the project, `library` one in a dependency or the runtime. */
export interface TraceLine {
  text: string
  kind: 'message' | 'own' | 'library'
}

const MOST_LINES = 2000
/** Of each line. */
const CHECKED_CHARACTERS = 600
/** In an output, this share of the lines must be frames: a log with one trace in it stays a log. */
const LEAST_SHARE = 0.34

/** Frame formats. The first group is the file, if the frame names one. */
const frames: readonly RegExp[] = [
  // JavaScript
  /^\s*at (?:async )?(?:[^()]{0,300} \()?((?:file:\/\/|node:|webpack)?[^()\s][^()]{0,400}?):\d+(?::\d+)?\)?$/,
  /^\s*at (?:async )?[^()]{1,300} \((?:<anonymous>|native|index \d+|\[native code\])\)$/,
  /^\s*(?:async )?[\w$.<># ]{1,200} \(((?:file:\/\/|node:)[^()]{1,400}?):\d+:\d+\)$/,
  /^\s*❯ (?:\S{1,200} )?(\S{1,300}?):\d+:\d+$/,
  /^[\w$.<>/*[\] ]{0,200}@((?:https?|file):\/\/\S{1,300}?):\d+:\d+$/,
  // Python
  /^\s*File "([^"]{1,400})", line \d+(?:, in .{0,200})?$/,
  /^(\S{1,300}\.py):\d+: \w{1,60}$/,
  // Java, Kotlin, Scala
  /^\s*at ((?:[\w$.@-]+\/)?[\w$.<>]+)\((?:[\w$-]+\.\w+:\d+|Native Method|Unknown Source|[\w$-]+\.\w+)\)(?: ~?\[.{0,100}\])?$/,
  // C#
  /^\s*at (?=.*:line \d+$)[^)]{1,300}\) in (.{1,300}):line \d+$/,
  // Go
  /^\s+(\/?\S{1,300}\.go):\d+(?: \+0x[\da-f]+)?$/,
  // Rust
  /^\s+at (\S{1,300}\.rs):\d+(?::\d+)?$/,
  // Ruby
  /^\s*(?:from )?(\S{1,300}\.rb):\d+:in .{1,200}$/,
]

const library = new RegExp(
  [
    /(?:^|[/\\])(?:node_modules|site-packages|dist-packages|gems|vendor)[/\\]/,
    /^node:|^internal\/|^<frozen |^<(?:string|stdin)>/,
    /[/\\]lib[/\\]python\d|[/\\]rustc[/\\]|[/\\]\.cargo[/\\]registry[/\\]|[/\\]rust\/library\//,
    /[/\\]go[/\\]pkg[/\\]mod[/\\]|[/\\]go(?:-?[\d.]+)?[/\\]src[/\\](?:runtime|testing|net|internal|reflect|os|sync|fmt)[/\\]/,
    /^(?:java\.base\/)?(?:java|javax|jdk|sun|kotlin|kotlinx|scala|android)\.|^org\.(?:junit|gradle|springframework|apache)\./,
  ]
    .map(({ source }) => source)
    .join('|'),
)

/** A stack trace's lines; joined with line breaks, they are the text. `isError`: the text is known to be an error. */
export function readTrace(text: string, isError: boolean): TraceLine[] | undefined {
  if (!/^\s*(?:at |❯ |File "|from )|\.go:\d+|@(?:https?|file):/m.test(text.slice(0, 20_000))) return undefined
  const source = text.replace(/\r?\n$/, '').split(/\r?\n/)
  if (source.length > MOST_LINES) return undefined
  const lines = readTraceLines(source)
  const count = lines.filter(({ kind }) => kind !== 'message').length
  const filled = source.filter(line => line.trim() !== '').length
  return count >= 2 && (isError || count >= filled * LEAST_SHARE) ? lines : undefined
}

/** Each line with its kind. Lines that belong to a frame (its source or its function) have the frame's kind. */
export function readTraceLines(source: readonly string[]): TraceLine[] {
  const lines: TraceLine[] = source.map(text => ({ text, kind: frameKind(text) }))
  lines.forEach(({ text, kind }, at) => {
    if (kind === 'message') return
    const next = lines[at + 1]
    const before = lines[at - 1]
    // Python writes the line of code below its frame, and marks below that.
    if (/^\s*File "/.test(text)) takeDeeper(lines, at, kind)
    // Go and Rust write the function above its location.
    else if (/^\s+(?:at )?\S+\.(?:go|rs):\d/.test(text) && before?.kind === 'message' && isFunction(before.text))
      before.kind = kind
    else if (next !== undefined && /^\s*\^+\s*$/.test(next.text)) next.kind = kind
  })
  return lines
}

function takeDeeper(lines: TraceLine[], at: number, kind: TraceLine['kind']): void {
  const depth = lines[at]!.text.search(/\S/)
  for (let next = at + 1; next < lines.length && next <= at + 3; next++) {
    const line = lines[next]!
    if (line.kind !== 'message' || line.text.search(/\S/) <= depth) return
    line.kind = kind
  }
}

function isFunction(text: string): boolean {
  return /^\s*(?:\d+: .{1,300}|[\w./*()[\]{}·-]{1,300}\(.{0,200}\)|created by .{1,200})$/.test(
    text.slice(0, CHECKED_CHARACTERS),
  )
}

function frameKind(text: string): TraceLine['kind'] {
  const line = text.slice(0, CHECKED_CHARACTERS)
  for (const frame of frames) {
    const match = frame.exec(line)
    if (match !== null) return match[1] === undefined || library.test(match[1]) ? 'library' : 'own'
  }
  return 'message'
}
