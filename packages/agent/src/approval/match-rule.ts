import { isAbsolute, resolve } from 'node:path'
import { compileGlob, type Glob } from '../files/compile-glob.ts'
import type { Subject } from '../tool/subject.ts'
import { programName, readCommand } from './command-readings.ts'
import { findLinkedFiles, type LinkedFile, readLinkedFile } from './linked-files.ts'
import { createWordMatcher } from './match-words.ts'
import { findPlaces, type PathPlaces } from './path-places.ts'
import { findProgramFile, type InspectedCommand, inspectCommand, type ProgramPlaces } from './program-file.ts'
import type { Rule } from './rule.ts'

export interface RuledCall {
  toolName: string
  /** Undefined for a tool that doesn't describe its calls. */
  subject?: Subject | undefined
  /** The subject's command line; inspected if left out. */
  command?: InspectedCommand | undefined
}

/** A name that no pattern spells out. A pattern that matches it in a folder matches every name there. */
const ANY_NAME = '\u{f0001}'

/** On these systems `README` and `readme` are one file. */
const FOLDS_CASE: boolean = process.platform === 'darwin' || process.platform === 'win32'

/** `unclear` if only a person can tell, because some names of a file weren't found. */
export type RuleMatch = boolean | 'unclear'

/**
 * Decides whether a rule applies to a call. In doubt, a rule that denies or asks applies and one that allows doesn't.
 * Doubts are an unknown argument, a second name of the same file, a nested program, or a dot at the start of a name.
 */
export class RuleMatcher {
  readonly rule: Rule
  /** A rule that denies or asks must find every call it may apply to. */
  readonly #wide: boolean
  readonly #roots: readonly string[]
  readonly #places: ProgramPlaces
  readonly #paths: PathPattern | undefined
  readonly #words: ((words: readonly string[]) => boolean) | undefined
  /** For a rule that allows all but a pattern: finds everything the pattern may mean. */
  readonly #wideWords: ((words: readonly string[]) => boolean) | undefined
  readonly #hosts: Glob | undefined

  /** `roots` are real paths at which relative patterns and paths start. `path` lists the folders of programs. */
  constructor(rule: Rule, roots: readonly string[], path: string | undefined = process.env.PATH) {
    this.rule = rule
    this.#roots = roots
    this.#places = { cwd: roots[0] ?? '.', path }
    this.#wide = rule.kind !== 'allow'
    const { pattern, negated } = rule
    if (pattern === undefined) return
    // A `!` pattern must match for certain where other patterns only need to match possibly, and the reverse.
    const wide = this.#wide !== negated
    this.#paths = new PathPattern(pattern, wide, roots)
    this.#words = createWordMatcher(pattern, !wide)
    this.#wideWords = createWordMatcher(pattern, false)
    this.#hosts = compileGlob(pattern.toLowerCase().replace(/\.$/, ''), { dots: true })
  }

  /** A call with several paths is denied for one of them, and allowed only for all. */
  async matches({ toolName, subject, command }: RuledCall): Promise<RuleMatch> {
    if (subject?.kind === 'command') {
      const { words } = subject
      return this.#matchesCommand(toolName, words, command ?? (await inspectCommand(words, this.#places)))
    }
    if (!this.isAbout(toolName, subject)) return false
    const { pattern, negated } = this.rule
    if (pattern === undefined) return true
    // `*` doesn't look into tools without arguments.
    if (subject === undefined) return this.#wide && this.rule.tool !== '*'
    const parts = await this.#matchesPattern(subject)
    if (parts === undefined) return this.#wide
    if (!this.#wide) return parts.every(one => one === !negated)
    if (parts.some(one => one === !negated)) return true
    return parts.includes('unclear') ? 'unclear' : false
  }

  /** For programs, the started program decides, because a document can name its tools freely. */
  isAbout(toolName: string, subject: Subject | undefined): boolean {
    const { tool } = this.rule
    if (tool === '*') return true
    if (subject?.kind !== 'command') return tool === toolName
    if (!this.#wide) return tool === this.#toPath(subject.words[0] ?? '')
    const { readings, isComplete } = readCommand(subject.words)
    return tool === toolName || !isComplete || readings.some(([program = '']) => this.#isNamed(program))
  }

  /**
   * A rule that denies or asks looks at every program the command line starts, under every name its file has. One that
   * allows looks at the words unchanged, so it never reaches a nested program.
   */
  async #matchesCommand(
    toolName: string,
    words: readonly string[],
    { readings, isComplete, files }: InspectedCommand,
  ): Promise<RuleMatch> {
    const { tool, pattern, negated } = this.rule
    // `*` doesn't look into programs.
    if (tool === '*') return pattern === undefined
    const fits = (one: readonly string[]): boolean => pattern === undefined || this.#words!(one.slice(1)) !== negated
    if (!this.#wide) {
      if (tool !== this.#toPath(words[0] ?? '') || !fits(words)) return false
      // A `!` pattern excludes the call in every reading.
      return !negated || (isComplete && readings.every(one => !this.#wideWords!(one.slice(1))))
    }
    for (const one of readings) {
      if (fits(one) && (tool === toolName || (await this.#isProgram(one[0] ?? '', files)))) return true
    }
    return isComplete ? false : 'unclear'
  }

  #isNamed(program: string): boolean {
    const tool = foldCase(this.rule.tool)
    return [program, this.#toPath(program), programName(program), program.split(/[\\/]/).at(-1)!].some(
      name => foldCase(name) === tool,
    )
  }

  /** Whether a program is the rule's under any name, through symbolic or hard links. */
  async #isProgram(program: string, files: InspectedCommand['files']): Promise<boolean> {
    if (this.#isNamed(program)) return true
    const file = files.get(program)
    if (file === undefined) return false
    if (file.names.has(this.rule.tool)) return true
    if (file.id === undefined) return false
    const ruleFile = await findProgramFile(this.rule.tool, this.#places)
    return ruleFile?.id === file.id
  }

  #toPath(program: string): string {
    return /[\\/]/.test(program) && !isAbsolute(program) ? resolve(this.#roots[0] ?? '.', program) : program
  }

  /** Whether each part of the call matches the pattern. Undefined if that can't be known. */
  async #matchesPattern(subject: Exclude<Subject, { kind: 'command' }>): Promise<readonly RuleMatch[] | undefined> {
    if (subject.kind === 'host') {
      return subject.hosts.length === 0
        ? undefined
        : subject.hosts.map(host => this.#hosts!.matches(host.toLowerCase()))
    }
    const parts: RuleMatch[] = []
    for (const path of subject.paths) {
      const places = await findPlaces(path, this.#roots)
      if (places === undefined) return undefined
      parts.push(await this.#paths!.matches(places, subject.tree === true))
    }
    return parts.length === 0 ? undefined : parts
  }
}

class PathPattern {
  readonly #glob: Glob
  readonly #wide: boolean
  readonly #roots: readonly string[]
  readonly #from: string
  /** It also matches everything below its matches. */
  readonly #coversTrees: boolean
  readonly #isEverything: boolean

  /** `wide`: it matches any name the path may have; otherwise only what the path is for certain. */
  constructor(pattern: string, wide: boolean, roots: readonly string[]) {
    const plain = foldCase(pattern.replace(/^(?:\.\/)+/, '').replace(/\/$/, '/**')).replace(/(?:\*\*\/){2,}/g, '**/')
    this.#roots = roots
    this.#from = fixedPart(plain)
    this.#coversTrees = /(?:^|\/)\*\*$/.test(plain)
    this.#isEverything = plain === '**'
    this.#wide = wide
    this.#glob = compileGlob(plain, { dots: wide })
  }

  async matches(places: PathPlaces, tree: boolean): Promise<RuleMatch> {
    const byName = this.#matchesNames(places, tree)
    // A file may also have other names: then it may match in addition, or no longer match for certain.
    if (byName === this.#wide) return byName
    if (tree) return this.#wide ? this.#matchesLinksIn(places) : byName
    return this.#matchesLinks(places)
  }

  #matchesNames({ certain, possible }: PathPlaces, tree: boolean): boolean {
    if (this.#wide && this.#isEverything) return true
    if (this.#wide) return possible.some(place => this.#matchesOne(foldCase(place), tree))
    return certain.length > 0 && certain.every(place => this.#matchesOne(foldCase(place), tree))
  }

  /** For when the path's names don't decide: a wide pattern hasn't matched it, or a narrow one has. */
  async #matchesLinks({ existing }: PathPlaces): Promise<RuleMatch> {
    const files: LinkedFile[] = []
    for (const path of existing) {
      const file = await readLinkedFile(path)
      if (file !== undefined) files.push(file)
    }
    if (files.length === 0) return !this.#wide
    const { counts, isComplete } = await this.#findLinked()
    if (!this.#wide) {
      return isComplete && files.every(({ id, links }) => counts.get(id) === links) ? true : 'unclear'
    }
    if (files.some(({ id }) => counts.has(id))) return true
    return isComplete ? false : 'unclear'
  }

  /** Whether something below a folder is a second name of a file that the pattern matches. */
  async #matchesLinksIn({ existing }: PathPlaces): Promise<RuleMatch> {
    const { counts, isComplete } = await this.#findLinked()
    if (counts.size === 0) return isComplete ? false : 'unclear'
    const everything = { from: '', isMatch: () => true, mayHold: () => true }
    const below = await findLinkedFiles(existing.map(root => ({ root, ...everything })))
    if ([...below.counts.keys()].some(id => counts.has(id))) return true
    return isComplete && below.isComplete ? false : 'unclear'
  }

  #findLinked(): ReturnType<typeof findLinkedFiles> {
    const isMatch = (name: string): boolean => this.#matchesOne(foldCase(name), false)
    const mayHold = (name: string): boolean => this.#glob.mayMatchIn(foldCase(name))
    const isAbsolutePattern = this.#from.startsWith('/')
    const roots = isAbsolutePattern ? ['/'] : this.#roots
    const toName = (name: string): string => (isAbsolutePattern ? `/${name.replace(/^\/+/, '')}` : name)
    return findLinkedFiles(
      roots.map(root => ({
        root,
        from: this.#from,
        isMatch: name => isMatch(toName(name)),
        mayHold: name => mayHold(toName(name)),
      })),
    )
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

function fixedPart(pattern: string): string {
  const names = pattern.split('/')
  const first = names.findIndex(name => /[*?[{\\]/.test(name))
  return (first === -1 ? names : names.slice(0, first)).join('/') || (pattern.startsWith('/') ? '/' : '')
}

function foldCase(text: string): string {
  return FOLDS_CASE ? text.normalize('NFC').toLowerCase() : text
}
