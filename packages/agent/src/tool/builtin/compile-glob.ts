/** A file pattern, ready to be used on many paths. */
export interface Glob {
  /** Whether a path, relative and with `/` between its names, is what the pattern says. */
  matches(path: string): boolean
  /** Whether something in this folder may be what the pattern says. */
  mayMatchIn(folder: string): boolean
}

/**
 * Compiles a pattern: `*` and `?` within a name, `**` for any folders, `[a-z]`, `[!a]`, `{a,b}`, `\` before a character that
 * is meant as it is. A name that begins with a dot is matched only by a dot in the pattern. The pattern becomes an automaton
 * whose states are all tried at once, so that a match takes time in proportion to both lengths, whatever they are. With
 * `dots` a wildcard stands for the dot at the start of a name too.
 */
export function compileGlob(pattern: string, { dots = false }: { dots?: boolean } = {}): Glob {
  const automaton = new Automaton(new Reader(pattern).read(), dots)
  return {
    matches: path => automaton.run(path).includes(ACCEPT),
    mayMatchIn: folder => automaton.run(`${folder}/`).length > 0,
  }
}

type Node =
  | { kind: 'character'; character: string }
  | { kind: 'any' | 'star' | 'folders' | 'rest' }
  | { kind: 'class'; negated: boolean; ranges: readonly (readonly [from: string, to: string])[] }
  | { kind: 'choice'; choices: readonly (readonly Node[])[] }

/** Reads a pattern into nodes. Brackets and braces that are not closed stand for themselves. */
class Reader {
  readonly #characters: readonly string[]
  /** Where the brace that opens at a place is closed. */
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

  read(): Node[] {
    return this.#list(this.#characters.length, false)
  }

  /** Reads up to `end`, or to a comma if it separates choices. */
  #list(end: number, inChoice: boolean): Node[] {
    const nodes: Node[] = []
    while (this.#at < end && !(inChoice && this.#characters[this.#at] === ',')) nodes.push(this.#node())
    return nodes
  }

  #node(): Node {
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

  #stars(at: number): Node {
    while (this.#characters[this.#at] === '*') this.#at++
    const before = this.#characters[at - 1]
    const after = this.#characters[this.#at]
    const whole = [undefined, '/', '{', ','].includes(before) && [undefined, '/', '}', ','].includes(after)
    if (this.#at - at === 1 || !whole) return { kind: 'star' }
    if (after !== '/') return { kind: 'rest' }
    this.#at++
    return { kind: 'folders' }
  }

  #choice(end: number): Node {
    const choices = [this.#list(end, true)]
    while (this.#at < end) {
      this.#at++
      choices.push(this.#list(end, true))
    }
    this.#at = end + 1
    return { kind: 'choice', choices }
  }

  #class(end: number): Node {
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

  /** Where the bracket that opens at `start` is closed, -1 if it is not within the same name. */
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

/** A state takes one character (`take`) and leads to `next`, or leads to `next` and `other` without one. */
interface State {
  take?: (character: string, first: boolean) => boolean
  next: number
  other?: number
  /** Not entered before the dot at the start of a name: a star that stands for nothing does not uncover it. */
  notBeforeDot?: true
  /** When it was last reached. */
  round: number
}

const ACCEPT = 0

class Automaton {
  readonly #states: State[] = [{ next: ACCEPT, take: () => false, round: 0 }]
  #round = 0
  /** A dot at the start of a name is like any other character. */
  readonly #dots: boolean
  readonly #start: readonly number[]
  /** The folder of the last text, and the states that it leads to: most texts of a walk are in the same folder. */
  #folder = ''
  #inFolder: readonly number[]

  constructor(nodes: readonly Node[], dots: boolean) {
    this.#dots = dots
    this.#start = [this.#addList(nodes, ACCEPT)]
    this.#inFolder = this.#start
  }

  /** The states that a text leads to. */
  run(text: string): readonly number[] {
    const folder = text.slice(0, text.lastIndexOf('/') + 1)
    if (folder !== this.#folder) {
      this.#inFolder = this.#take(this.#start, folder)
      this.#folder = folder
    }
    return this.#reach(this.#take(this.#inFolder, text.slice(folder.length)), false)
  }

  /** Where a text at the start of a name leads to from these states. */
  #take(from: readonly number[], text: string): readonly number[] {
    let at = from
    let first = !this.#dots
    for (const character of text) {
      if (at.length === 0) break
      const next: number[] = []
      for (const index of this.#reach(at, first && character === '.')) {
        const state = this.#states[index]!
        if (state.take?.(character, first)) next.push(state.next)
      }
      at = next
      first = character === '/' && !this.#dots
    }
    return at
  }

  /** These states and all that they lead to without a character. */
  #reach(from: readonly number[], beforeDot: boolean): readonly number[] {
    const reached: number[] = []
    const open = [...from]
    this.#round++
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const state = this.#states[at]!
      if (state.round === this.#round || (state.notBeforeDot && beforeDot)) continue
      state.round = this.#round
      reached.push(at)
      if (state.take !== undefined) continue
      open.push(state.next)
      if (state.other !== undefined) open.push(state.other)
    }
    return reached
  }

  #add(state: Omit<State, 'round'>): number {
    return this.#states.push({ ...state, round: 0 }) - 1
  }

  /** Adds the states of a list that goes on at `next`, and gives the first. */
  #addList(nodes: readonly Node[], next: number): number {
    return nodes.reduceRight((after, node) => this.#addNode(node, after), next)
  }

  #addNode(node: Node, next: number): number {
    switch (node.kind) {
      case 'character':
        return this.#add({ take: character => character === node.character, next })
      case 'any':
        return this.#add({ take: isPlain, next })
      case 'class': {
        const { negated, ranges } = node
        const take = (character: string, first: boolean): boolean =>
          isPlain(character, first) && ranges.some(([from, to]) => from <= character && character <= to) !== negated
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

  /** Any number of characters of a name. */
  #addStar(next: number): number {
    const loop = this.#add({ next, notBeforeDot: true })
    this.#states[loop]!.other = this.#add({ take: isPlain, next: loop })
    return loop
  }
}

function isSlash(character: string): boolean {
  return character === '/'
}

/** A character of a name that a wildcard may stand for. */
function isPlain(character: string, first: boolean): boolean {
  return character !== '/' && !(first && character === '.')
}
