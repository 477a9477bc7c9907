import { isAbsolute, resolve } from 'node:path'
import { compileGlob, type Glob } from '../files/compile-glob.ts'
import type { Subject } from '../tool/subject.ts'
import { createWordMatcher } from './match-words.ts'
import { findPlaces, type PathPlaces } from './path-places.ts'
import type { Rule } from './rule.ts'

/** A call as rules see it. */
export interface RuledCall {
  toolName: string
  /** Undefined for a tool that does not say what its calls are about. */
  subject?: Subject | undefined
}

/** A name that no pattern spells out: what matches it in a folder matches every name there. */
const ANY_NAME = '\u{f0001}'

/** On these systems `README` and `readme` are one file. */
const FOLDS_CASE: boolean = process.platform === 'darwin' || process.platform === 'win32'

/**
 * Whether a rule is for a call. In doubt a rule that denies or asks is, and one that allows is not: an unknown argument,
 * a second name of the same file, a dot at the start of a name.
 */
export class RuleMatcher {
  readonly rule: Rule
  /** Denies and asks: it has to find every call that it may be for. */
  readonly #wide: boolean
  readonly #roots: readonly string[]
  readonly #paths: PathPattern | undefined
  readonly #words: ((words: readonly string[]) => boolean) | undefined
  readonly #hosts: Glob | undefined

  /** `roots` are real paths; relative patterns and paths start there. */
  constructor(rule: Rule, roots: readonly string[]) {
    this.rule = rule
    this.#roots = roots
    this.#wide = rule.kind !== 'allow'
    const { pattern, negated } = rule
    if (pattern === undefined) return
    // What is left out by `!` must be certain where the rest is only possible.
    const wide = this.#wide !== negated
    this.#paths = new PathPattern(pattern, wide)
    this.#words = createWordMatcher(pattern, !wide)
    this.#hosts = compileGlob(pattern.toLowerCase().replace(/\.$/, ''), { dots: true })
  }

  /** A call with several paths is denied for one of them, and allowed only for all. */
  async matches({ toolName, subject }: RuledCall): Promise<boolean> {
    if (!this.isAbout(toolName, subject)) return false
    const { pattern, negated } = this.rule
    if (pattern === undefined) return true
    // Any tool: programs and tools without arguments are not looked into.
    if (this.rule.tool === '*' && (subject === undefined || subject.kind === 'command')) return false
    if (subject === undefined) return this.#wide
    const parts = await this.#matchesPattern(subject)
    if (parts === undefined) return this.#wide
    return this.#wide ? parts.some(one => one !== negated) : parts.every(one => one !== negated)
  }

  /** Whether it is about this tool. Programs count by what is started: a document can call its tools what it likes. */
  isAbout(toolName: string, subject: Subject | undefined): boolean {
    const { tool } = this.rule
    if (tool === '*') return true
    if (subject?.kind !== 'command') return tool === toolName
    const [program = ''] = subject.words
    const isPath = /[\\/]/.test(program)
    const whole = isPath && !isAbsolute(program) ? resolve(this.#roots[0] ?? '.', program) : program
    if (tool === whole) return true
    return this.#wide && (tool === toolName || tool === program || tool === program.split(/[\\/]/).at(-1))
  }

  /** Whether each part of the call is what the pattern says; undefined where that cannot be known. */
  async #matchesPattern(subject: Subject): Promise<readonly boolean[] | undefined> {
    switch (subject.kind) {
      case 'command':
        return [this.#words!(subject.words.slice(1))]
      case 'host':
        return subject.hosts.length === 0
          ? undefined
          : subject.hosts.map(host => this.#hosts!.matches(host.toLowerCase()))
      case 'path': {
        const said: boolean[] = []
        for (const path of subject.paths) {
          const places = await findPlaces(path, this.#roots)
          if (places === undefined) return undefined
          said.push(this.#paths!.matches(places, subject.tree === true))
        }
        return said.length === 0 ? undefined : said
      }
    }
  }
}

/** The pattern of a rule on paths: relative to the roots, or absolute. */
class PathPattern {
  readonly #glob: Glob
  readonly #wide: boolean
  /** Everything below what it matches is matched too. */
  readonly #coversTrees: boolean
  readonly #isEverything: boolean

  /** `wide`: it matches whatever the path may be called; otherwise only what the path is for certain. */
  constructor(pattern: string, wide: boolean) {
    const plain = foldCase(pattern.replace(/^(?:\.\/)+/, '').replace(/\/$/, '/**')).replace(/(?:\*\*\/){2,}/g, '**/')
    this.#coversTrees = /(?:^|\/)\*\*$/.test(plain)
    this.#isEverything = plain === '**'
    this.#wide = wide
    this.#glob = compileGlob(plain, { dots: wide })
  }

  matches({ certain, possible }: PathPlaces, tree: boolean): boolean {
    if (this.#wide && this.#isEverything) return true
    if (this.#wide) return possible.some(place => this.#matchesOne(foldCase(place), tree))
    return certain.length > 0 && certain.every(place => this.#matchesOne(foldCase(place), tree))
  }

  #matchesOne(place: string, tree: boolean): boolean {
    const below = place === '' ? ANY_NAME : `${place}/${ANY_NAME}`
    if (this.#wide) {
      // The root of everything that relative patterns can match.
      if (tree && (place === '' || this.#glob.mayMatchIn(place))) return true
      return this.#glob.matches(place === '' ? '.' : place) || (this.#coversTrees && this.#glob.matches(below))
    }
    if (tree) return this.#coversTrees && this.#glob.matches(below)
    return this.#glob.matches(place === '' ? '.' : place)
  }
}

function foldCase(text: string): string {
  return FOLDS_CASE ? text.normalize('NFC').toLowerCase() : text
}
