export interface TestRun {
  passed: number
  failed: number
  skipped: number
  /** As the runner prints it: "1.2 s". */
  duration: string | undefined
  failures: readonly TestFailure[]
  /** The names of passed or skipped tests, if the report has them. */
  passes: readonly string[]
  skips: readonly string[]
}

export interface TestFailure {
  name: string
  /** The runner's text about it, verbatim. */
  trace: string
}

/** A runner's sign is near the beginning or the end of its report. */
const CHECKED_CHARACTERS = 20_000
/** Only this many characters of a line are checked. */
const LONGEST_LINE = 1000
/** Of the lines that a test printed before it failed, this many are stored with it. */
const MOST_PRINTED = 400
/** This many names are stored. The counts are the runner's own. */
const MOST_NAMES = 2000

interface TestRunner {
  /** A line that only this runner prints, and always prints. */
  sign: RegExp
  read: (lines: readonly string[]) => TestRun | undefined
}

/** The test runner's report in a program's output, without colours; undefined for any other text. */
export function readTestRun(text: string): TestRun | undefined {
  const ends =
    text.length <= 2 * CHECKED_CHARACTERS
      ? text
      : `${text.slice(0, CHECKED_CHARACTERS)}\n${text.slice(-CHECKED_CHARACTERS)}`
  const runner = runners.find(({ sign }) => sign.test(ends))
  const run = runner?.read(text.split(/\r?\n/))
  return run === undefined || run.passed + run.failed + run.skipped === 0 ? undefined : run
}

const runners: readonly TestRunner[] = [
  { sign: /^\s*Tests {2,}\d.*\(\d+\)$/m, read: readVitest },
  { sign: /^Tests: {2,}.*\d+ total$/m, read: readJest },
  { sign: /^# (?:pass|fail) \d+$/m, read: readTap },
  { sign: /^ℹ (?:pass|fail) \d+$/m, read: readNode },
  { sign: /^(?:=+ )?\d+ (?:passed|failed|skipped|errors?)\b.* in [\d.]+s/m, read: readPytest },
  { sign: /^test result: (?:ok|FAILED)\. \d+ passed/m, read: readCargo },
  { sign: /^(?:--- (?:PASS|FAIL|SKIP): \S|(?:ok|FAIL)\s*\t\S+\s*\t)/m, read: readGo },
  { sign: /^(?:TAP version 1\d|1\.\.\d+)$/m, read: readTap },
]

interface OpenFailure {
  name: string
  trace: string[]
}

class Report {
  #passed: number | undefined
  #failed: number | undefined
  #skipped: number | undefined
  duration: string | undefined
  readonly passes: string[] = []
  readonly skips: string[] = []
  failures: OpenFailure[] = []
  readonly #byName = new Map<string, OpenFailure>()
  /** The failure that the current lines belong to. */
  open: OpenFailure | undefined

  count(kind: 'passed' | 'failed' | 'skipped', count: number): void {
    if (kind === 'passed') this.#passed = (this.#passed ?? 0) + count
    else if (kind === 'failed') this.#failed = (this.#failed ?? 0) + count
    else this.#skipped = (this.#skipped ?? 0) + count
  }

  /** If a runner repeats its failures at the end, the repetition is ignored. */
  fail(name: string): void {
    const earlier = this.#byName.get(name)
    this.open = { name, trace: [] }
    if (earlier === undefined) {
      this.#byName.set(name, this.open)
      if (this.failures.length < MOST_NAMES) this.failures.push(this.open)
    } else if (isBlank(earlier.trace)) earlier.trace = this.open.trace
  }

  /** False if there is no such failure. */
  rename(from: string, to: string): boolean {
    const failure = this.#byName.get(from)
    if (failure === undefined) return false
    failure.name = to
    this.#byName.set(to, failure)
    return true
  }

  pass(name: string): void {
    if (this.passes.length < MOST_NAMES) this.passes.push(name)
    this.open = undefined
  }

  skip(name: string): void {
    if (this.skips.length < MOST_NAMES) this.skips.push(name)
    this.open = undefined
  }

  toRun(): TestRun {
    return {
      passed: this.#passed ?? this.passes.length,
      failed: this.#failed ?? this.failures.length,
      skipped: this.#skipped ?? this.skips.length,
      duration: this.duration,
      failures: this.failures.map(({ name, trace }) => ({ name, trace: joinTrace(trace) })),
      passes: this.passes,
      skips: this.skips,
    }
  }
}

/** Lines without the empty ones around them, and without their common indentation. */
export function joinTrace(lines: readonly string[]): string {
  const first = lines.findIndex(line => line.trim() !== '')
  if (first < 0) return ''
  const traceLines = lines.slice(first, lines.findLastIndex(line => line.trim() !== '') + 1)
  const margin = traceLines.reduce(
    (least, line) => (line.trim() === '' ? least : Math.min(least, line.search(/\S/))),
    80,
  )
  return traceLines.map(line => line.slice(Math.min(margin, line.length))).join('\n')
}

function isBlank(lines: readonly string[]): boolean {
  return lines.length < 20 && lines.every(line => line.trim() === '')
}

const kinds: Readonly<Record<string, 'passed' | 'failed' | 'skipped' | undefined>> = {
  passed: 'passed',
  xpassed: 'passed',
  ok: 'passed',
  pass: 'passed',
  failed: 'failed',
  fail: 'failed',
  error: 'failed',
  errors: 'failed',
  cancelled: 'failed',
  skipped: 'skipped',
  xfailed: 'skipped',
  ignored: 'skipped',
  todo: 'skipped',
  pending: 'skipped',
}

/** "1 failed | 45 passed", "1 failed, 2 passed in 0.1s": counts with their words. */
function countAll(report: Report, text: string): void {
  for (const [, count, word] of text.matchAll(/(\d+) (\w+)/g)) {
    const kind = Object.hasOwn(kinds, word!) ? kinds[word!] : undefined
    if (kind !== undefined) report.count(kind, Number(count))
  }
}

function* cut(lines: readonly string[]): Generator<[line: string, whole: string]> {
  for (const whole of lines) yield [whole.slice(0, LONGEST_LINE), whole]
}

function readVitest(lines: readonly string[]): TestRun {
  const report = new Report()
  const crosses: OpenFailure[] = []
  for (const [line, whole] of cut(lines)) {
    const name = /^ FAIL {2}(?:\|[^|]{1,60}\| )?(\S.*)$/.exec(line)?.[1]
    const summary = /^\s*Tests {2,}(.+\(\d+\))$/.exec(line)?.[1]
    if (name !== undefined) {
      // Several tests that fail in the same way share one trace.
      const alike = report.open !== undefined && isBlank(report.open.trace) ? report.open.trace : undefined
      report.fail(name)
      if (alike !== undefined && report.open !== undefined) report.open.trace = alike
    } else if (summary !== undefined) countAll(report, summary)
    else if (/^\s*⎯{3,}/.test(line) || /^\s*(?:Test Files|Start at) {2,}/.test(line)) report.open = undefined
    else if (/^\s*Duration {2,}\S/.test(line)) report.duration = /Duration {2,}(\S+)/.exec(line)?.[1]
    else if (report.open !== undefined) report.open.trace.push(whole)
    else {
      const cross = /^\s+[×✗] (.+?)(?: \d+m?s)?$/.exec(line)?.[1]
      if (cross !== undefined && crosses.length < MOST_NAMES) crosses.push({ name: cross, trace: [] })
      else if (/^\s+→ /.test(line)) crosses.at(-1)?.trace.push(whole)
      else readMark(report, line, /^\s+(✓|√) (.+?)(?: \d+m?s)?$/, /^\s+(↓|-) (.+)$/)
    }
  }
  // Failures are printed to the other stream, which a tool may leave out.
  if (report.failures.length === 0) report.failures = crosses
  return report.toRun()
}

/** Reads the line of a passed or skipped test. Lines for files, which have a test count, are ignored. */
function readMark(report: Report, line: string, passed: RegExp, skipped: RegExp): void {
  const pass = passed.exec(line)?.[2]
  const skip = pass === undefined ? skipped.exec(line)?.[2] : undefined
  if (pass !== undefined && !/\(\d+ tests?\b/.test(pass)) report.pass(pass)
  else if (skip !== undefined) report.skip(skip)
}

function readJest(lines: readonly string[]): TestRun {
  const report = new Report()
  for (const [line, whole] of cut(lines)) {
    const name = /^ {2}● (.+)$/.exec(line)?.[1]
    const summary = /^Tests: {2,}(.+) \d+ total$/.exec(line)?.[1]
    if (name !== undefined && name !== 'Console') report.fail(name)
    else if (summary !== undefined) countAll(report, summary)
    else if (/^\S/.test(line)) {
      report.open = undefined
      report.duration = /^Time: +(\S+ m?s)/.exec(line)?.[1] ?? report.duration
    } else if (report.open !== undefined) report.open.trace.push(whole)
    else readMark(report, line, /^\s+(✓|√) (.+?)(?: \(\d+ m?s\))?$/, /^\s+(○ (?:skipped|todo)) (.+)$/)
  }
  return report.toRun()
}

function readNode(lines: readonly string[]): TestRun {
  const report = new Report()
  const hasList = lines.includes('✖ failing tests:')
  let isList = !hasList
  let place = ''
  for (const [line, whole] of cut(lines)) {
    const count = /^ℹ (pass|fail|cancelled|skipped|todo) (\d+)$/.exec(line)
    const name = /^(\s*)✖ (.+?)(?: \([\d.]+ ?m?s\))?$/.exec(line)
    if (count !== null) report.count(kinds[count[1]!]!, Number(count[2]))
    else if (line === '✖ failing tests:') isList = true
    else if (/^test at \S/.test(line)) place = line
    else if (name !== null && isList) {
      report.fail(name[2]!)
      if (place !== '') report.open?.trace.push(`${name[1]}${place}`)
      place = ''
    } else if (/^ℹ duration_ms ([\d.]+)/.test(line)) report.duration = toDuration(/[\d.]+$/.exec(line)?.[0])
    else if (/^\s*[✔▶﹣]/.test(line)) readMark(report, line, /^\s*(✔) (.+?)(?: \([\d.]+ ?m?s\))?$/, /^\s*(﹣) (.+)$/)
    else if (line.startsWith('ℹ')) report.open = undefined
    else report.open?.trace.push(whole)
  }
  return report.toRun()
}

function toDuration(milliseconds: string | undefined): string | undefined {
  const value = Number(milliseconds)
  if (!Number.isFinite(value)) return undefined
  return value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`
}

function readTap(lines: readonly string[]): TestRun {
  const report = new Report()
  for (const [line, whole] of cut(lines)) {
    const test = /^\s*(not )?ok(?: \d+)?(?: -)? ?(.*?)(?: # (SKIP|TODO).*)?$/i.exec(line)
    const count = /^# (pass|fail|cancelled|skipped|skip|todo)\s+(\d+)$/.exec(line)
    if (count !== null) report.count(kinds[count[1]!] ?? 'skipped', Number(count[2]))
    else if (/^# duration_ms /.test(line)) report.duration = toDuration(line.slice(14))
    else if (test !== null) {
      const name = test[2] === '' ? line.trim() : test[2]!
      if (test[3] !== undefined) report.skip(name)
      else if (test[1] === undefined) report.pass(name)
      else report.fail(name)
    } else if (/^\s*(?:#|1\.\.|TAP version)/.test(line)) report.open = undefined
    else if (!/^\s*(?:---|\.\.\.)$/.test(line)) report.open?.trace.push(whole)
  }
  // A group fails because of its members.
  report.failures = report.failures.filter(({ trace }) => !trace.some(line => line.includes("'subtestsFailed'")))
  return report.toRun()
}

function readPytest(lines: readonly string[]): TestRun {
  const report = new Report()
  let isFailures = false
  for (const [line, whole] of cut(lines)) {
    const heading = /^=+ (.+?) =+$/.exec(line)?.[1]
    const summary = /^(?:=+ )?(\d+ (?:passed|failed|skipped|errors?)\b.*) in ([\d.]+s)/.exec(line)
    const name = /^_{2,} (.+?) _{2,}$/.exec(line)?.[1]
    const short = /^(?:FAILED|ERROR) (\S+?)(?: - (.*))?$/.exec(line)
    if (summary !== null) {
      countAll(report, summary[1]!)
      report.duration = summary[2]
      report.open = undefined
    } else if (heading !== undefined) {
      isFailures = heading === 'FAILURES' || heading === 'ERRORS'
      report.open = undefined
    } else if (isFailures && name !== undefined) report.fail(name)
    else if (isFailures) report.open?.trace.push(whole)
    else if (short !== null) nameFailure(report, short[1]!, short[2])
    else readMark(report, line, /^(?!.*\bSKIPPED\b)()(\S+::\S.*?) PASSED/, /^()(\S+::\S.*?) SKIPPED/)
  }
  return report.toRun()
}

/** The short list at the end names each failure in full; its message was printed before. */
function nameFailure(report: Report, name: string, message: string | undefined): void {
  const last = name.slice(name.indexOf('::') + 2).replaceAll('::', '.')
  if (!report.rename(last, name) && !report.rename(`ERROR at setup of ${last}`, name)) {
    report.fail(name)
    if (message !== undefined) report.open?.trace.push(message)
  }
  report.open = undefined
}

function readCargo(lines: readonly string[]): TestRun {
  const report = new Report()
  for (const [line, whole] of cut(lines)) {
    const test = /^test (.+?) \.\.\. (ok|FAILED|ignored)/.exec(line)
    const summary = /^test result: \w+\. (.+)$/.exec(line)?.[1]
    const name = /^---- (.+?) stdout ----$/.exec(line)?.[1]
    if (summary !== undefined) {
      countAll(report, summary)
      report.duration = /finished in (\S+s)/.exec(summary)?.[1]
    } else if (name !== undefined) report.fail(name)
    else if (test?.[2] === 'ok') report.pass(test[1]!)
    else if (test?.[2] === 'ignored') report.skip(test[1]!)
    else if (test !== null || /^(?:failures:|running \d+ tests?)$/.test(line)) report.open = undefined
    else report.open?.trace.push(whole)
  }
  return report.toRun()
}

/** The list that a test's following lines go to: "=== RUN   TestAdd". */
function linesFor(printed: Map<string, string[]>, line: string): string[] | undefined {
  const name = /^=== (?:RUN|CONT|NAME) +(\S+)/.exec(line)?.[1]
  if (name === undefined) return undefined
  const lines = printed.get(name) ?? []
  printed.set(name, lines)
  return lines
}

function readGo(lines: readonly string[]): TestRun {
  const report = new Report()
  const packages: string[] = []
  // With -v, a test's output comes before its result.
  const printed = new Map<string, string[]>()
  let running: string[] | undefined
  for (const [line, whole] of cut(lines)) {
    const test = /^\s*--- (PASS|FAIL|SKIP): (\S+)(?: \((\S+)\))?/.exec(line)
    const done = /^(ok|FAIL)\s*\t(\S+)(?:\s+(.*))?$/.exec(line)
    if (test?.[1] === 'FAIL') {
      report.fail(test[2]!)
      report.open?.trace.push(...(printed.get(test[2]!) ?? []))
    } else if (test?.[1] === 'PASS') report.pass(test[2]!)
    else if (test?.[1] === 'SKIP') report.skip(test[2]!)
    else if (done !== null) {
      if (done[1] === 'ok') packages.push(done[2]!)
      else if (/\[(?:build|setup) failed\]/.test(done[3] ?? '')) report.fail(`${done[2]} ${done[3]}`)
      report.open = undefined
    } else if (/^(?:PASS|FAIL|exit status \d+)$/.test(line)) report.open = undefined
    else if (report.open !== undefined && !line.startsWith('=== ')) report.open.trace.push(whole)
    else if (line.startsWith('=== ')) {
      report.open = undefined
      running = linesFor(printed, line) ?? running
    } else if (running !== undefined && running.length < MOST_PRINTED) running.push(whole)
  }
  // A test fails because of its subtests, and without -v only packages report that they passed.
  const groups = new Set(report.failures.map(({ name }) => name.slice(0, Math.max(0, name.lastIndexOf('/')))))
  report.failures = report.failures.filter(({ name }) => !groups.has(name))
  if (report.passes.length === 0) report.passes.push(...packages.slice(0, MOST_NAMES))
  return report.toRun()
}
