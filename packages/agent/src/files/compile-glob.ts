export interface Glob {
  /** `path` is relative, with `/` between its names. */
  matches(path: string): boolean
  mayMatchIn(folder: string): boolean
}

/**
 * Compiles a pattern: `*` and `?` within a name, `**` for any folders, `[a-z]`, `[!a]`, `{a,b}`, and `\` to escape a
 * character. A name that begins with a dot is only matched by a dot in the pattern; with `dots`, wildcards match that
 * dot too. The pattern becomes an automaton that tries all its states in parallel and caches the transitions, so a
 * match takes time proportional to the length of the path.
 */
export function compileGlob(pattern: string, { dots = false }: { dots?: boolean } = {}): Glob {
  const automaton = new Automaton(new GlobReader(pattern).read(), dots)
  return {
    matches: path => automaton.accepts(automaton.run(path)),
    mayMatchIn: folder => automaton.run(`${folder}/`).states.length > 0,
  }
}

type GlobNode =
  | { kind: 'character'; character: string }
  | { kind: 'any' | 'star' | 'folders' | 'rest' }
  | { kind: 'class'; negated: boolean; ranges: readonly (readonly [from: string, to: string])[] }
  | { kind: 'choice'; choices: readonly (readonly GlobNode[])[] }

/** Brackets and braces that are not closed are literal characters. */
class GlobReader {
  readonly #characters: readonly string[]
  /** The position of the closing brace, by that of the opening one. */
  readonly #closings = new Map<number, number>()
  #at = 0

  constructor(pattern: string) {
    this.#characters = [...pattern]
    const open: number[] = []
    for (let at = 0; at < this.#characters.length; at++) {
      const character = this.#characters[at]
      if (character === '\\') at++
      else if (character === '[') at = Math.max(at, this.#classEnd(at))
      else if (character === '{') open.push(at)
      else if (character === '}' && open.length > 0) this.#closings.set(open.pop()!, at)
    }
  }

  read(): GlobNode[] {
    return this.#list(this.#characters.length, false)
  }

  /** Reads up to `end`, or to a comma if it separates choices. */
  #list(end: number, inChoice: boolean): GlobNode[] {
    const nodes: GlobNode[] = []
    while (this.#at < end && !(inChoice && this.#characters[this.#at] === ',')) {
      const node = this.#node()
      // `**` after `**` adds nothing.
      if (node.kind !== 'folders' || nodes.at(-1)?.kind !== 'folders') nodes.push(node)
    }
    return nodes
  }

  #node(): GlobNode {
    const at = this.#at++
    const character = this.#characters[at]!
    switch (character) {
      case '\\':
        return { kind: 'character', character: this.#characters[this.#at++] ?? '\\' }
      case '?':
        return { kind: 'any' }
      case '*':
        return this.#stars(at)
      case '[': {
        const end = this.#classEnd(at)
        return end === -1 ? { kind: 'character', character } : this.#class(end)
      }
      case '{': {
        const end = this.#closings.get(at)
        return end === undefined ? { kind: 'character', character } : this.#choice(end)
      }
      default:
        return { kind: 'character', character }
    }
  }

  #stars(at: number): GlobNode {
    while (this.#characters[this.#at] === '*') this.#at++
    const before = this.#characters[at - 1]
    const after = this.#characters[this.#at]
    const whole = [undefined, '/', '{', ','].includes(before) && [undefined, '/', '}', ','].includes(after)
    if (this.#at - at === 1 || !whole) return { kind: 'star' }
    if (after !== '/') return { kind: 'rest' }
    this.#at++
    return { kind: 'folders' }
  }

  #choice(end: number): GlobNode {
    const choices = [this.#list(end, true)]
    while (this.#at < end) {
      this.#at++
      choices.push(this.#list(end, true))
    }
    this.#at = end + 1
    return { kind: 'choice', choices }
  }

  #class(end: number): GlobNode {
    const negated = ['!', '^'].includes(this.#characters[this.#at]!)
    if (negated) this.#at++
    const ranges: (readonly [string, string])[] = []
    while (this.#at < end) {
      const from = this.#classCharacter()
      const isRange = this.#characters[this.#at] === '-' && this.#at + 1 < end
      if (isRange) this.#at++
      ranges.push([from, isRange ? this.#classCharacter() : from])
    }
    this.#at = end + 1
    return { kind: 'class', negated, ranges }
  }

  #classCharacter(): string {
    if (this.#characters[this.#at] === '\\') this.#at++
    return this.#characters[this.#at++]!
  }

  /** The position of the closing bracket; -1 if there is none within the same name. */
  #classEnd(start: number): number {
    let at = start + 1
    if (['!', '^'].includes(this.#characters[at] ?? '')) at++
    for (let first = true; at < this.#characters.length; at++, first = false) {
      const character = this.#characters[at]
      if (character === '/') return -1
      if (character === ']' && !first) return at
      if (character === '\\') at++
    }
    return -1
  }
}

/** Consumes one character (`take`) and continues with `next`, or continues with `next` and `other`, consuming none. */
interface GlobState {
  take?: (character: string, hidesDot: boolean) => boolean
  next: number
  other?: number
  /** Not entered before the dot at the start of a name: a star that matches nothing must not expose it. */
  notBeforeDot?: true
  lastRound: number
}

/** The automaton's position after a text: its active states, and the cached transitions from here. */
interface GlobPosition {
  states: readonly number[]
  /** A name begins here, and wildcards don't match its dot. */
  hidesDot: boolean
  next: Map<string, GlobPosition>
  accepts?: boolean
}

const ACCEPT = 0
/** The cache is cleared once it has this many transitions. */
const CACHED_TRANSITIONS = 50_000

class Automaton {
  readonly #states: GlobState[] = [{ next: ACCEPT, take: () => false, lastRound: 0 }]
  #round = 0
  readonly #matchesDots: boolean
  readonly #firstState: number
  #start: GlobPosition
  readonly #positions = new Map<string, GlobPosition>()
  #transitions = 0
  /** The last folder and its position: most paths of a walk are in the same folder. */
  #folder = ''
  #inFolder: GlobPosition

  constructor(nodes: readonly GlobNode[], dots: boolean) {
    this.#matchesDots = dots
    this.#firstState = this.#addList(nodes, ACCEPT)
    this.#start = this.#position([this.#firstState], !dots)
    this.#inFolder = this.#start
  }

  run(text: string): GlobPosition {
    if (this.#transitions > CACHED_TRANSITIONS) this.#forget()
    const folder = text.slice(0, text.lastIndexOf('/') + 1)
    if (folder !== this.#folder) {
      this.#inFolder = this.#take(this.#start, folder)
      this.#folder = folder
    }
    return this.#take(this.#inFolder, text.slice(folder.length))
  }

  accepts(position: GlobPosition): boolean {
    position.accepts ??= this.#reach(position.states, false).includes(ACCEPT)
    return position.accepts
  }

  #take(from: GlobPosition, text: string): GlobPosition {
    let position = from
    for (const character of text) {
      if (position.states.length === 0) break
      position = position.next.get(character) ?? this.#step(position, character)
    }
    return position
  }

  #step(position: GlobPosition, character: string): GlobPosition {
    const next = new Set<number>()
    for (const index of this.#reach(position.states, position.hidesDot && character === '.')) {
      const state = this.#states[index]!
      if (state.take?.(character, position.hidesDot)) next.add(state.next)
    }
    const reached = this.#position(
      [...next].sort((a, b) => a - b),
      character === '/' && !this.#matchesDots,
    )
    position.next.set(character, reached)
    this.#transitions++
    return reached
  }

  #position(states: readonly number[], hidesDot: boolean): GlobPosition {
    const key = `${hidesDot ? '/' : ''}${states.join()}`
    const cached = this.#positions.get(key)
    if (cached !== undefined) return cached
    const position: GlobPosition = { states, hidesDot, next: new Map() }
    this.#positions.set(key, position)
    return position
  }

  #forget(): void {
    this.#positions.clear()
    this.#transitions = 0
    this.#folder = ''
    this.#start = this.#position([this.#firstState], !this.#matchesDots)
    this.#inFolder = this.#start
  }

  /** These states, and all that they reach without consuming a character. */
  #reach(from: readonly number[], beforeDot: boolean): readonly number[] {
    const reached: number[] = []
    const open = [...from]
    this.#round++
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const state = this.#states[at]!
      if (state.lastRound === this.#round || (state.notBeforeDot && beforeDot)) continue
      state.lastRound = this.#round
      reached.push(at)
      if (state.take !== undefined) continue
      open.push(state.next)
      if (state.other !== undefined) open.push(state.other)
    }
    return reached
  }

  #add(state: Omit<GlobState, 'lastRound'>): number {
    return this.#states.push({ ...state, lastRound: 0 }) - 1
  }

  /** Adds the states of a list that continues at `next`, and returns the first. */
  #addList(nodes: readonly GlobNode[], next: number): number {
    return nodes.reduceRight((after, node) => this.#addNode(node, after), next)
  }

  #addNode(node: GlobNode, next: number): number {
    switch (node.kind) {
      case 'character':
        return this.#add({ take: character => character === node.character, next })
      case 'any':
        return this.#add({ take: isPlain, next })
      case 'class': {
        const { negated, ranges } = node
        const take = (character: string, hidesDot: boolean): boolean =>
          isPlain(character, hidesDot) && ranges.some(([from, to]) => from <= character && character <= to) !== negated
        return this.#add({ take, next })
      }
      case 'star':
        return this.#addStar(next)
      case 'folders': {
        const loop = this.#add({ next })
        const slash = this.#add({ take: isSlash, next: loop })
        this.#states[loop]!.other = this.#add({ take: isPlain, next: this.#addStar(slash) })
        return loop
      }
      case 'rest': {
        const fork = this.#add({ next })
        const name = this.#add({ take: isPlain, next: this.#addStar(fork) })
        this.#states[fork]!.other = this.#add({ take: isSlash, next: name })
        return name
      }
      case 'choice':
        return node.choices
          .map(choice => this.#addList(choice, next))
          .reduceRight((other, first) => this.#add({ next: first, other }))
    }
  }

  #addStar(next: number): number {
    const loop = this.#add({ next, notBeforeDot: true })
    this.#states[loop]!.other = this.#add({ take: isPlain, next: loop })
    return loop
  }
}

function isSlash(character: string): boolean {
  return character === '/'
}

function isPlain(character: string, hidesDot: boolean): boolean {
  return character !== '/' && !(hidesDot && character === '.')
}
