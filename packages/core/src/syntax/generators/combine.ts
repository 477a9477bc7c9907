import { MAX_NAME } from '../limits.ts'
import { type Grammar, Reader } from '../reader/reader.ts'
import type { ReasoningMark } from '../reader/reasoning.ts'
import type { State, States } from '../reader/states.ts'
import type { ParserOptions } from '../syntax.ts'
import type { Dialect } from './dialect.ts'

/** A grammar and the fixed text its calls begin with. JSON and bare words have no fixed text. */
export interface GrammarCandidate {
  readonly name: string
  readonly grammar: Grammar
  readonly starts: readonly string[]
  /** Its calls have no mark, so they apply only at the start of a reply. */
  readonly onlyFirst?: boolean
  /**
   * Whether a call that begins with `start` can continue with this character (two characters for a tag), after
   * whitespace and an opening bracket.
   */
  accepts?(start: string, next: string): boolean
}

interface StartNode {
  readonly next: Map<number, StartNode>
  /** The candidates whose calls begin with the text up to here. */
  readonly here: number[]
  /** At least one of them is also a call after the start of a reply. */
  appliesAnywhere: boolean
  /** Those candidates, and the ones whose calls may still begin this way. */
  readonly all: Set<number>
}

/**
 * Combines grammars into one. At each mark, the candidates whose calls begin with the text there are tried in order,
 * and the first that accepts it as a call reads it.
 */
export function combineGrammars(candidates: readonly GrammarCandidate[], repair?: Grammar['repair']): Grammar {
  const root = createStartTree(candidates)
  const openings = candidates.map(({ grammar }) => grammar.opening)
  const marks = joinCharacters(openings.map(({ marks: each }) => each))
  const first = candidates[0]?.grammar
  return {
    opening: {
      marks,
      where: 'anywhere',
      lineMarks: joinCharacters(openings.map(({ lineMarks = '' }) => lineMarks)),
    },
    states: reader => combinedStates(reader, candidates, root),
    repair: repair ?? first?.repair ?? (() => ''),
    reasoning: uniqueMarks(candidates.flatMap(({ grammar }) => grammar.reasoning ?? [])),
    silent: [...new Set(candidates.flatMap(({ grammar }) => grammar.silent ?? []))],
  }
}

/** A dialect that reads several forms, tried in order, and writes its own. */
export function combineDialects(own: Dialect, forms: readonly GrammarCandidate[]): Dialect {
  const grammar = combineGrammars(forms, own.grammar.repair)
  return { ...own, grammar, parser: (options?: ParserOptions) => new Reader(grammar, options) }
}

const noCandidates: readonly number[] = []

function combinedStates(reader: Reader, candidates: readonly GrammarCandidate[], root: StartNode): States {
  const openStates: (States | undefined)[] = []
  /** The candidates at the mark. `index` is the one that reads. */
  let list: readonly number[] = []
  let index = 0
  let node = root
  let matching: number[] = []
  /** The text they begin with, and whether a bracket after it has been skipped. */
  let word = ''
  let hasSkipped = false
  let passedLength = 0

  /** The states that read the text at the mark. Most marks have none, and an index of -1 is slow. */
  const current = (): States | undefined => {
    const number = index < 0 ? undefined : list[index]
    if (number === undefined) return undefined
    openStates[number] ??= candidates[number]?.grammar.states(reader)
    return openStates[number]
  }

  function opener(): State {
    begin()
    return start()
  }

  /** The text at the mark turned out not to be a tag. `prefix` is what was read of it. */
  function openerAfter(prefix: string): State {
    begin()
    for (const character of prefix) if (!step(character)) return choose()
    return isDecided() ? choose() : start
  }

  function begin(): void {
    node = root
    matching = []
    list = []
    word = ''
    index = 0
  }

  /**
   *   | <|tool_call_begin|>
   *      ^
   */
  function start(): State {
    while (reader.at < reader.text.length) {
      if (!step(reader.text.charAt(reader.at))) return choose()
      reader.at++
      if (isDecided()) return choose()
    }
    return start
  }

  /** Reads one more character of what calls begin with. Returns false if no call continues this way. */
  function step(character: string): boolean {
    const next = node.next.get(character.charCodeAt(0))
    if (next === undefined) return false
    word += character
    node = next
    matching.push(...next.here)
    return true
  }

  /** Only one candidate is left, whatever follows. */
  function isDecided(): boolean {
    if (node.all.size !== 1) return false
    const [only = -1] = node.all
    if (matching.some(number => number !== only)) return false
    matching = [only]
    return true
  }

  /**
   * If several are left, the next character decides.
   *
   *   | <tool_call>{
   *                ^
   */
  function peek(): State {
    if (!hasSkipped && word.endsWith('=')) {
      hasSkipped = true
      return peekAfterName
    }
    if (!reader.skipSpace()) return peek
    if (!hasSkipped && reader.text.charAt(reader.at) === '[') {
      hasSkipped = true
      reader.at++
      return peek
    }
    if (reader.text.charAt(reader.at) === '<') {
      reader.at++
      return peekTag
    }
    return narrow(reader.text.charAt(reader.at))
  }

  function peekTag(): State {
    return narrow(`<${reader.text.charAt(reader.at)}`)
  }

  function narrow(next: string): State {
    list = list.filter(number => candidates[number]?.accepts?.(word, next) !== false)
    return reader.notCall()
  }

  /**
   *   | <function=read_file>{
   *               ^
   */
  function peekAfterName(): State {
    while (reader.at < reader.text.length) {
      const character = reader.text.charAt(reader.at++)
      if (character === '>') return peek
      if (character === '<' || ++passedLength > MAX_NAME) return reader.notCall()
    }
    return peekAfterName
  }

  function choose(): State {
    index = -1
    list = noCandidates
    const [only] = matching
    if (root.here.length > 0 && reader.isFirst) list = listFitting()
    else if (matching.length > 1) list = listFitting()
    else if (only !== undefined && fits(only)) list = matching
    if (list.length < 2) return reader.notCall()
    hasSkipped = false
    passedLength = 0
    return peek
  }

  function listFitting(): readonly number[] {
    return [...new Set([...matching, ...root.here])].sort((a, b) => a - b).filter(fits)
  }

  function fits(number: number): boolean {
    const candidate = candidates[number]
    if (candidate === undefined || (candidate.onlyFirst === true && !reader.isFirst)) return false
    const { marks, lineMarks = '' } = candidate.grammar.opening
    const character = reader.firstCharacter
    return marks.includes(character) || (reader.atLineStart && lineMarks.includes(character))
  }

  /** True if no candidate begins this way. A candidate begins only with the whole of one of its starts. */
  function passes(text: string, at: number): boolean {
    let reached = root
    for (let i = at; i < text.length; i++) {
      const next = reached.next.get(text.charCodeAt(i))
      if (next === undefined) return true
      if (next.appliesAnywhere) return false
      reached = next
    }
    return false
  }

  return {
    opener,
    openerAfter,
    passes,
    next() {
      index++
      const states = current()
      if (states === undefined) return undefined
      const { name = '', grammar } = candidates[list[index] ?? -1] ?? {}
      reader.reads(name, grammar)
      if (states.openerAfter === undefined) return { read: 0, begin: states.opener }
      return { read: word.length, begin: () => states.openerAfter?.(word) ?? states.opener }
    },
    hasNext: () => index + 1 < list.length,
    unclosed: source =>
      current()?.unclosed(source) ?? { code: 'SYNTAX_UNCLOSED_CALL', message: 'The text ends within a call.' },
    cutOff: () => current()?.cutOff?.(),
    end: () => current()?.end?.(),
  }
}

function createStartTree(candidates: readonly GrammarCandidate[]): StartNode {
  const root: StartNode = { next: new Map(), here: [], appliesAnywhere: false, all: new Set() }
  candidates.forEach(({ starts, onlyFirst = false }, number) => {
    for (const text of starts) {
      let node = root
      for (let i = 0; i < text.length; i++) {
        const code = text.charCodeAt(i)
        let next = node.next.get(code)
        if (next === undefined) {
          next = { next: new Map(), here: [], appliesAnywhere: false, all: new Set() }
          node.next.set(code, next)
        }
        node = next
        node.all.add(number)
      }
      node.here.push(number)
      if (!onlyFirst) node.appliesAnywhere = true
    }
  })
  return root
}

function joinCharacters(lists: readonly string[]): string {
  return [...new Set(lists.join(''))].join('')
}

function uniqueMarks(marks: readonly ReasoningMark[]): ReasoningMark[] {
  return [...new Map(marks.map(mark => [mark.open, mark])).values()]
}
