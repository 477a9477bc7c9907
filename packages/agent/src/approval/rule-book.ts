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
import { escapePattern, toWordPattern } from './match-words.ts'
import { findPlaces } from './path-places.ts'
import { inspectCommand } from './program-file.ts'
import { findRuleProblem, parseRule, type Rule, type RuleKind, ruleKinds } from './rule.ts'

export interface RuleBookOptions {
  policy: ApprovalPolicy
  /** Policies of projects, which no user rule lifts, and where each is written. `policy` already includes them. */
  projects?: readonly Sourced<ApprovalPolicy>[] | undefined
  rules?: readonly Rule[] | undefined
  /** Where relative paths start; the process's folder if left out. */
  roots?: readonly string[] | undefined
  /** Where to look for programs, in the form of `PATH`; this process's `PATH` if left out. */
  path?: string | undefined
}

export interface JudgedCall {
  toolName: string
  /** The tool's other name. Rules and policies about that name apply, too. */
  aliasOf?: string | undefined
  effect: ToolEffect
  subject?: Subject | undefined
  inReasoning?: boolean | undefined
  /** Identifies the tool by its source and declaration. A person's "always" applies to this tool only. */
  tool?: string | undefined
}

export interface Judgement {
  decision: 'run' | 'ask' | 'refuse'
  /** The rule that decided. Undefined if the policy did. */
  rule?: Rule
}

interface AlwaysRule {
  matcher: RuleMatcher
  tool: string | undefined
}

interface RuleHit {
  rule: Rule
  match: Exclude<RuleMatch, false>
}

/**
 * Decides about calls by rules and policy. In order: deny rules, refusals by the policy, ask rules, allow rules, the
 * policy. So an allow rule answers a question but never lifts a refusal.
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

  /** Everything that makes this book stricter, which applies to a document's sub-agents, too. */
  get strictPart(): Required<Pick<RuleBookOptions, 'projects' | 'rules'>> {
    const matchers = [...this.#rules.deny, ...this.#rules.ask]
    return { projects: this.#projects, rules: matchers.map(({ rule }) => rule) }
  }

  /**
   * Adds a rule that a person allowed for the rest of the run; it also answers the questions of other rules. It applies
   * to the tool that the question was about, and ends if another tool takes the name or the declaration changes.
   */
  allow(text: string, tool?: string): void {
    this.#always.push({ matcher: this.#createMatcher(parseRule('allow', text, 'this run')), tool })
  }

  #createMatcher(rule: Rule): RuleMatcher {
    return new RuleMatcher(rule, this.#roots, this.#path)
  }

  /** The policy's decision about a tool's calls, and the rules that may override it, in order of precedence. */
  describe(call: JudgedCall): { decision: Judgement['decision']; rules: Rule[] } {
    const all = ruleKinds.flatMap(kind => this.#rules[kind])
    const matching = all.filter(one => getNames(call).some(name => one.isAbout(name, call.subject)))
    return { decision: decideAll(this.#policy, call), rules: matching.map(({ rule }) => rule) }
  }

  /** Decides about a call. Synchronous unless a rule has to look at the argument. */
  judge(call: JudgedCall): Judgement | Promise<Judgement> {
    return this.#judge(call, ({ tool }) => tool === call.tool)
  }

  #judge(call: JudgedCall, isApplicable: (rule: AlwaysRule) => boolean): Judgement | Promise<Judgement> {
    const decision = decideAll(this.#policy, call)
    const always = this.#always.filter(isApplicable).map(({ matcher }) => matcher)
    const lists = [this.#rules.deny, always, this.#rules.ask, this.#rules.allow]
    return lists.every(list => list.length === 0) ? { decision } : this.#judgeByRules(call, decision, always)
  }

  async #judgeByRules(
    call: JudgedCall,
    decision: Judgement['decision'],
    alwaysRules: readonly RuleMatcher[],
  ): Promise<Judgement> {
    const denyRule = await this.#find(this.#rules.deny, call)
    if (denyRule?.match === true) return { decision: 'refuse', rule: denyRule.rule }
    if (decision === 'refuse') return { decision }
    // It is unclear whether the rule denies the call, so a person decides each time.
    if (denyRule !== undefined) return { decision: 'ask', rule: denyRule.rule }
    const always = await this.#find(alwaysRules, call)
    if (always?.match === true) return { decision: 'run', rule: always.rule }
    const askRule = await this.#find(this.#rules.ask, call)
    if (askRule !== undefined) return { decision: 'ask', rule: askRule.rule }
    if (decision === 'run' || this.isRestrictedByProject(call)) return { decision }
    const allowRule = await this.#find(this.#rules.allow, call)
    return allowRule?.match === true ? { decision: 'run', rule: allowRule.rule } : { decision }
  }

  /** The first rule that denies the call for certain. */
  async findDenial(call: JudgedCall): Promise<Rule | undefined> {
    const denyRule = await this.#find(this.#rules.deny, call)
    return denyRule?.match === true ? denyRule.rule : undefined
  }

  /**
   * Why a page may not redirect to another host: a rule denies that host, or a rule allowed only the first one.
   * Undefined if there is no objection. A person who approved the first page has approved its redirects.
   */
  async objectToRedirect(toolName: string, from: URL, to: URL): Promise<string | undefined> {
    const judge = (url: URL): Judgement | Promise<Judgement> => {
      const subject = { kind: 'host', hosts: [url.hostname.replace(/\.$/, '')] } as const
      // A built-in tool: no other tool can have its name.
      return this.#judge({ toolName, effect: 'net', subject }, () => true)
    }
    const [first, next] = [await judge(from), await judge(to)]
    const onlyFirst = first.decision === 'run' && next.decision !== 'run'
    if (next.rule?.kind !== 'deny' && !onlyFirst) return undefined
    const why =
      next.rule === undefined ? 'no rule allows' : `the rule ${quoted(`${next.rule.kind} ${next.rule.text}`)} covers`
    return `The page redirects to ${quoted(to.href)}, and ${why} that host.`
  }

  /**
   * The rule that "always" adds for a call: the same program with the same words, the same host, or the same file. For
   * a file that is written, all files of its folder. For a tool without arguments, the tool. Undefined if the rule
   * wouldn't be readable.
   */
  async ruleToAllow({ toolName: calledName, aliasOf, effect, subject }: JudgedCall): Promise<string | undefined> {
    const toolName = aliasOf ?? calledName
    const text = subject === undefined ? toolName : await this.#describeSubject(toolName, effect, subject)
    return text === undefined || findRuleProblem('allow', text) !== undefined ? undefined : text
  }

  async #describeSubject(toolName: string, effect: ToolEffect, subject: Subject): Promise<string | undefined> {
    switch (subject.kind) {
      case 'command': {
        const [program = '', ...words] = subject.words
        const name = /[\\/]/.test(program) ? resolve(this.#roots[0] ?? '.', program) : program
        return `${name}(${toWordPattern(words)})`
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
   * Whether all files that a call names are inside a folder (a real path), with links followed. A confined program can
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

  /** The first rule in the list that applies to the call, else the first for which that is unclear. */
  async #find(list: readonly RuleMatcher[], call: JudgedCall): Promise<RuleHit | undefined> {
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

  /** Whether a project or the run's sender demands a question. No user setting changes that. */
  isRestrictedByProject(call: JudgedCall): boolean {
    return this.#projects.some(({ value }) => decideForProject(value, call) !== 'run')
  }

  /** Where the project's policy that makes this decision is written. No user flag can lift it. */
  findProject(call: JudgedCall, decision: Judgement['decision']): string | undefined {
    return this.#projects.find(({ value }) => decideForProject(value, call) === decision)?.from
  }
}

function getNames({ toolName, aliasOf }: JudgedCall): string[] {
  return aliasOf === undefined ? [toolName] : [toolName, aliasOf]
}

const strictness: readonly Judgement['decision'][] = ['refuse', 'ask', 'run']

/** The policy's strictest decision for those of the call's names that it mentions, else for the tool's name. */
function decideAll(policy: ApprovalPolicy, call: JudgedCall): Judgement['decision'] {
  const ownNames = getNames(call).filter(name => ownMode(policy, name) !== undefined)
  const names = ownNames.length === 0 ? [call.toolName] : ownNames
  const decisions = names.map(name => decide(policy, { ...call, name }))
  return strictness.find(one => decisions.includes(one))!
}

/** A project's policy without a default allows tools that it doesn't name. */
function decideForProject(policy: ApprovalPolicy, call: JudgedCall): Judgement['decision'] {
  const decisions = getNames(call).map(name => {
    const mode = ownMode(policy, name) ?? ownMode(policy, 'default') ?? 'all'
    return decide(mode, { ...call, name })
  })
  return strictness.find(one => decisions.includes(one))!
}

/** A pattern for the files of the same folder. For a hidden file, or one outside the roots, only for that file. */
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
