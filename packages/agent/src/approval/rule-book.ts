import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ToolEffect } from '@argot/core/stream'
import { isInside } from '../files/local-file.ts'
import type { Subject } from '../tool/subject.ts'
import { quoted } from '../words/quoted.ts'
import type { Sourced } from '../words/sourced.ts'
import type { ApprovalPolicy } from './approval.ts'
import { decide, ownMode } from './decide.ts'
import { type RuleMatch, RuleMatcher } from './match-rule.ts'
import { escapePattern, patternOfWords } from './match-words.ts'
import { findPlaces } from './path-places.ts'
import { inspectCommand } from './program-file.ts'
import { parseRule, problemOfRule, type Rule, type RuleKind, ruleKinds } from './rule.ts'

export interface RuleBookOptions {
  policy: ApprovalPolicy
  /**
   * What the settings of projects say of their own, which no rule of the user lifts, and where each is written, in words;
   * already part of `policy`.
   */
  projects?: readonly Sourced<ApprovalPolicy>[] | undefined
  rules?: readonly Rule[] | undefined
  /** Where relative paths start; the folder of the process where it is left out. */
  roots?: readonly string[] | undefined
  /** The folders in which programs are looked for, as in `PATH`; that of this process where it is left out. */
  path?: string | undefined
}

/** A call about which something is to be decided. */
export interface JudgedCall {
  toolName: string
  /** What the tool is called as well; what is said about that name holds too. */
  aliasOf?: string | undefined
  effect: ToolEffect
  subject?: Subject | undefined
  /** It is written inside the model's reasoning: `ask` asks about it even if it only reads. */
  inReasoning?: boolean | undefined
  /** Which tool has the name: its source and its declaration. What a person allows "always" holds for this one only. */
  tool?: string | undefined
}

export interface Judgement {
  decision: 'run' | 'ask' | 'refuse'
  /** The rule that decided; undefined if the policy did. */
  rule?: Rule
}

/** A rule that holds for one tool. */
interface AlwaysRule {
  matcher: RuleMatcher
  tool: string | undefined
}

/** A rule that is for a call, or may be. */
interface FoundRule {
  rule: Rule
  match: Exclude<RuleMatch, false>
}

/**
 * Decides about calls by rules and policy. A rule that denies comes first, then what the policy refuses, then rules that
 * ask, then rules that allow, then the policy: a rule that allows answers a question, and lifts no refusal.
 */
export class RuleBook {
  readonly #policy: ApprovalPolicy
  readonly #projects: readonly Sourced<ApprovalPolicy>[]
  readonly #roots: readonly string[]
  readonly #path: string | undefined
  readonly #rules: Readonly<Record<RuleKind, RuleMatcher[]>> = { deny: [], ask: [], allow: [] }
  /** What a person allowed for the rest of the run, and for which tool. */
  readonly #always: AlwaysRule[] = []

  constructor({ policy, projects = [], rules = [], roots = ['.'], path = process.env.PATH }: RuleBookOptions) {
    this.#policy = policy
    this.#projects = projects
    this.#roots = [...new Set(roots.map(realFolder))]
    this.#path = path
    for (const rule of rules) this.#rules[rule.kind].push(this.#createMatcher(rule))
  }

  get policy(): ApprovalPolicy {
    return this.#policy
  }

  /** What holds for the sub-agents of a document, too: everything that makes it stricter. */
  get strictPart(): Required<Pick<RuleBookOptions, 'projects' | 'rules'>> {
    const matchers = [...this.#rules.deny, ...this.#rules.ask]
    return { projects: this.#projects, rules: matchers.map(({ rule }) => rule) }
  }

  /**
   * Adds a rule that a person allowed for the rest of the run: it answers the questions of other rules too. It holds for
   * the tool that the person was asked about, and ends when another tool takes the name or the declaration changes.
   */
  allow(text: string, tool?: string): void {
    this.#always.push({ matcher: this.#createMatcher(parseRule('allow', text, 'this run')), tool })
  }

  #createMatcher(rule: Rule): RuleMatcher {
    return new RuleMatcher(rule, this.#roots, this.#path)
  }

  /** What the policy says about the calls of a tool, and the rules that may say otherwise, the first to count first. */
  describe(call: JudgedCall): { decision: Judgement['decision']; rules: Rule[] } {
    const all = ruleKinds.flatMap(kind => this.#rules[kind])
    const about = all.filter(one => getNames(call).some(name => one.isAbout(name, call.subject)))
    return { decision: decideAll(this.#policy, call), rules: about.map(({ rule }) => rule) }
  }

  /** What becomes of a call. Known at once where no rule has to look at its argument. */
  judge(call: JudgedCall): Judgement | Promise<Judgement> {
    return this.#judge(call, ({ tool }) => tool === call.tool)
  }

  #judge(call: JudgedCall, isOwn: (rule: AlwaysRule) => boolean): Judgement | Promise<Judgement> {
    const decision = decideAll(this.#policy, call)
    const always = this.#always.filter(isOwn).map(({ matcher }) => matcher)
    const lists = [this.#rules.deny, always, this.#rules.ask, this.#rules.allow]
    return lists.every(list => list.length === 0) ? { decision } : this.#judgeByRules(call, decision, always)
  }

  async #judgeByRules(
    call: JudgedCall,
    decision: Judgement['decision'],
    given: readonly RuleMatcher[],
  ): Promise<Judgement> {
    const denied = await this.#find(this.#rules.deny, call)
    if (denied?.match === true) return { decision: 'refuse', rule: denied.rule }
    if (decision === 'refuse') return { decision }
    // Nobody knows whether the rule denies it: a person decides, each time.
    if (denied !== undefined) return { decision: 'ask', rule: denied.rule }
    const always = await this.#find(given, call)
    if (always?.match === true) return { decision: 'run', rule: always.rule }
    const asked = await this.#find(this.#rules.ask, call)
    if (asked !== undefined) return { decision: 'ask', rule: asked.rule }
    if (decision === 'run' || this.isUpToProject(call)) return { decision }
    const allowed = await this.#find(this.#rules.allow, call)
    return allowed?.match === true ? { decision: 'run', rule: allowed.rule } : { decision }
  }

  /** The first rule that denies the call for certain. */
  async findDenial(call: JudgedCall): Promise<Rule | undefined> {
    const denied = await this.#find(this.#rules.deny, call)
    return denied?.match === true ? denied.rule : undefined
  }

  /**
   * Why a page may not lead to another host: a rule denies that one, or allowed only the first without a question. Undefined
   * where nothing is against it; a person who was asked about the first page has said yes to where it leads.
   */
  async objectToRedirect(toolName: string, from: URL, to: URL): Promise<string | undefined> {
    const judge = (url: URL): Judgement | Promise<Judgement> => {
      const subject = { kind: 'host', hosts: [url.hostname.replace(/\.$/, '')] } as const
      // A built-in tool: its name is never another tool's.
      return this.#judge({ toolName, effect: 'net', subject }, () => true)
    }
    const [first, next] = [await judge(from), await judge(to)]
    const onlyFirst = first.decision === 'run' && next.decision !== 'run'
    if (next.rule?.kind !== 'deny' && !onlyFirst) return undefined
    const why =
      next.rule === undefined ? 'no rule allows' : `the rule ${quoted(`${next.rule.kind} ${next.rule.text}`)} is about`
    return `The page leads to ${quoted(to.href)}, and ${why} that host.`
  }

  /**
   * The rule that "always" adds for a call: the same program with the same words, the same host, the same file, for one
   * that is written all files of its folder. For a tool without arguments it is the tool. Undefined where no rule can be
   * written that a person could read.
   */
  async ruleToAllow({ toolName: called, aliasOf, effect, subject }: JudgedCall): Promise<string | undefined> {
    const toolName = aliasOf ?? called
    const text = subject === undefined ? toolName : await this.#describeSubject(toolName, effect, subject)
    return text === undefined || problemOfRule('allow', text) !== undefined ? undefined : text
  }

  async #describeSubject(toolName: string, effect: ToolEffect, subject: Subject): Promise<string | undefined> {
    switch (subject.kind) {
      case 'command': {
        const [program = '', ...words] = subject.words
        const name = /[\\/]/.test(program) ? resolve(this.#roots[0] ?? '.', program) : program
        return `${name}(${patternOfWords(words)})`
      }
      case 'host': {
        const [host, ...others] = subject.hosts
        return host === undefined || others.length > 0 ? undefined : `${toolName}(${escapePattern(host)})`
      }
      case 'path': {
        const [path, ...others] = subject.paths
        const places = path === undefined || others.length > 0 ? undefined : await findPlaces(path, this.#roots)
        const [place, ...more] = places?.certain ?? []
        if (place === undefined || more.length > 0) return undefined
        if (subject.tree === true) return `${toolName}(${place === '' ? '**' : `${escapePattern(place)}/**`})`
        return `${toolName}(${effect === 'write' ? folderPattern(place) : escapePattern(place || '.')})`
      }
    }
  }

  /**
   * Whether the files that a call names are inside a folder, given as a real path, with links followed. A confined program can
   * change every folder of the run, so all of those must be inside.
   */
  async staysInside(folder: string, { effect, subject }: JudgedCall): Promise<boolean> {
    if (effect === 'exec') return this.#roots.every(root => isInside(folder, root))
    if (subject?.kind !== 'path') return true
    for (const path of subject.paths) {
      const places = await findPlaces(path, this.#roots)
      if (places === undefined || !places.real.every(real => isInside(folder, real))) return false
    }
    return subject.paths.length > 0
  }

  /** The first rule of a list that is for the call, else the first of which that is unclear. */
  async #find(list: readonly RuleMatcher[], call: JudgedCall): Promise<FoundRule | undefined> {
    if (list.length === 0) return undefined
    const { subject } = call
    const places = { cwd: this.#roots[0] ?? '.', path: this.#path }
    const command = subject?.kind === 'command' ? await inspectCommand(subject.words, places) : undefined
    let unclear: Rule | undefined
    for (const matcher of list) {
      for (const toolName of getNames(call)) {
        const match = await matcher.matches({ toolName, subject, command })
        if (match === true) return { rule: matcher.rule, match }
        if (match === 'unclear') unclear ??= matcher.rule
      }
    }
    return unclear && { rule: unclear, match: 'unclear' }
  }

  /** Whether a project, or the sender of the run, does not let the call run unasked: nothing that the user allows changes that. */
  isUpToProject(call: JudgedCall): boolean {
    return this.#projects.some(({ value }) => decideForProject(value, call) !== 'run')
  }

  /** Where the project's policy is written that decides this about a call, so that no flag of the user can lift it. */
  findProject(call: JudgedCall, decision: Judgement['decision']): string | undefined {
    return this.#projects.find(({ value }) => decideForProject(value, call) === decision)?.from
  }
}

/** The names under which something may be said about a call. */
function getNames({ toolName, aliasOf }: JudgedCall): string[] {
  return aliasOf === undefined ? [toolName] : [toolName, aliasOf]
}

const strictness: readonly Judgement['decision'][] = ['refuse', 'ask', 'run']

/** The strictest that the policy says about one of the names, of which it may leave one out. */
function decideAll(policy: ApprovalPolicy, call: JudgedCall): Judgement['decision'] {
  const named = getNames(call).filter(name => ownMode(policy, name) !== undefined)
  const names = named.length === 0 ? [call.toolName] : named
  const decisions = names.map(name => decide(policy, { ...call, name }))
  return strictness.find(one => decisions.includes(one))!
}

/** What the policy of a project says about a call. Tools that it does not name are none of its business. */
function decideForProject(policy: ApprovalPolicy, call: JudgedCall): Judgement['decision'] {
  const decisions = getNames(call).map(name => {
    const mode = ownMode(policy, name) ?? ownMode(policy, 'default') ?? 'all'
    return decide(mode, { ...call, name })
  })
  return strictness.find(one => decisions.includes(one))!
}

/** A pattern for the files of the same folder; for a hidden file, or one outside of the roots, only for that file. */
function folderPattern(place: string): string {
  const [, folder = '', name = ''] = /^(.*\/)?([^/]*)$/.exec(place) ?? []
  return name.startsWith('.') || name === '' || place.startsWith('/')
    ? escapePattern(place || '.')
    : `${escapePattern(folder)}*`
}

function realFolder(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return resolve(path)
  }
}
