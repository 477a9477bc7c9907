import type { Diagnostic } from '@argot/core'
import { type ChatDocument, expand, type Resolver } from '@argot/core/chatmd'
import type { Expanded } from '@argot/core/chatmd/internal'
import { defined } from '@argot/core/stream/internal'
import type { Syntax } from '@argot/core/syntax'
import { type CallLimit, callLimits } from '@argot/core/syntax/internal'
import type { ApprovalPolicy } from '../../approval/approval.ts'
import { effectivePolicy } from '../../approval/effective-policy.ts'
import { RuleBook } from '../../approval/rule-book.ts'
import { stricter } from '../../approval/stricter-policy.ts'
import type { AnswerFormat } from '../../loop/answer/answer-format.ts'
import type { Model, ModelSettings } from '../../model/model.ts'
import { createFileFetcher, type FetchFile } from '../../resolver/fetch-file.ts'
import { collectRules } from '../../settings/collect-rules.ts'
import { resolveMaxSteps, resolvePrice, resolveSyntax } from '../../settings/resolve-settings.ts'
import type { Toolbox } from '../../tool/toolbox.ts'
import type { Price } from '../../words/price.ts'
import type { ChangedSource } from '../agents/frozen-sources.ts'
import { chooseDocumentModel } from '../document-model.ts'
import type { Notice } from '../run-options.ts'
import { type Inspection, inspectDocument, refuseErrors } from './inspect-document.ts'
import { openDocumentTools } from './open-document-tools.ts'
import type { ParamValue } from './param-values.ts'
import type { PrepareOptions } from './prepare-options.ts'

/** A document with everything that a run of it needs, before anything is started. */
export interface Prepared {
  /** Without the answers of agents, whose places are empty. */
  expanded: Expanded
  /** The same with the answers of agents: asks those whose answers are not known yet. Throws when one fails. */
  askAgents(): Promise<Expanded>
  /** The values of the parameters of the document. */
  params: readonly ParamValue[]
  /** What answered turns brought in and what has changed since. */
  changedSources(): Promise<ChangedSource[]>
  /** Reads what the document names. */
  resolver: Resolver
  /** Warnings of the document and of what it refers to. */
  diagnostics: Diagnostic[]
  model: Model
  syntax: Syntax
  /** How many calls a message may hold, where somebody says so. */
  limit: CallLimit | undefined
  maxSteps: number
  policy: ApprovalPolicy
  /** The policy together with the rules by argument. */
  rules: RuleBook
  settings: ModelSettings
  /** What the model costs, where somebody says so. */
  price: Price | undefined
  /** The form that the final answer must have. */
  format: AnswerFormat | undefined
  notices: string[]
  fetchFile: FetchFile
  /**
   * Makes the tools that the document declares, and connects to its servers; may ask the user whether its commands are
   * trusted. To be closed when the run is over.
   */
  openTools(notice: Notice): Promise<Toolbox>
}

/** Reads, checks and expands a document, and finds its model, syntax and limits. Throws when it cannot be run. */
export async function prepareDocument(
  source: ChatDocument | { file: string; text: string },
  options: PrepareOptions,
): Promise<Prepared> {
  const inspected = await inspectDocument(source, options)
  // A listing shows what there is, beside what is said about tools that nobody has and about agents that could not run.
  const isShown = ({ code }: Pick<Diagnostic, 'code'>): boolean =>
    options.listOnly === true && (code === 'TOOL_UNKNOWN' || code === 'CHATMD_AGENT_FAILED')
  refuseErrors(inspected.diagnostics.filter(one => !isShown(one)))
  const { document, expanded, settings, resolver } = inspected
  const { config } = expanded
  const { policy, rules, notices } = decideRules(inspected, options)
  const subAgents = options.createSubAgents?.(policy, rules.strictPart)
  const { model, syntax } = await chooseModel(inspected, options)
  const { maxTokens, temperature, reasoningEffort } = config ?? {}
  const modelSettings: ModelSettings = defined({ maxTokens, temperature, reasoningEffort })
  return {
    expanded,
    model,
    syntax,
    policy,
    rules,
    resolver,
    async askAgents() {
      const asks = expanded.messages.some(({ pieces }) => pieces.some(({ origin }) => origin.pending === true))
      if (!asks || subAgents === undefined) return expanded
      const answered = await expand(document, { ...inspected.shared, runAgent: subAgents.run })
      refuseErrors(answered.diagnostics)
      return answered
    },
    params: inspected.params?.used ?? [],
    changedSources: async () =>
      (await options.frozen?.changes(resolver, document.file, inspected.params?.byName)) ?? [],
    diagnostics: inspected.diagnostics,
    limit: options.limit ?? callLimits.find(one => one === config?.limit) ?? settings.limit?.value,
    maxSteps: resolveMaxSteps({ flag: options.maxSteps, document: config?.maxSteps, settings }).value,
    settings: modelSettings,
    price: resolvePrice(options.price, settings, model.name),
    format: inspected.format,
    notices: [...notices, model.notice].filter(text => text !== undefined),
    fetchFile: createFileFetcher(inspected.resolverOptions),
    openTools: say =>
      openDocumentTools({ inspected, model, settings: modelSettings, rules, subAgents, isShown }, options, say),
  }
}

/** The policy and the rules: those of the options and the settings, and what the documents around this one make stricter. */
function decideRules(
  { settings, roots }: Inspection,
  { approve, approveAtMost, rules: flag, strict, env = process.env }: PrepareOptions,
): { policy: ApprovalPolicy; rules: RuleBook; notices: (string | undefined)[] } {
  const { policy: wanted, notice } = effectivePolicy({ flag: approve, ...settings.approve })
  const policy = approveAtMost === undefined ? wanted : stricter(wanted, approveAtMost)
  const collected = collectRules({ flag, settings: settings.rules })
  const projects = [
    ...(strict?.projects ?? []),
    ...Object.values(defined({ project: settings.approve.project?.value, asked: approveAtMost })),
  ]
  const all = [...(strict?.rules ?? []), ...collected.rules]
  const rules = new RuleBook({ policy, projects, rules: all, roots, path: env.PATH })
  return { policy, rules, notices: [notice, collected.notice] }
}

/** The model and the syntax: those of the options, else of the document, of the environment, or of the settings. */
async function chooseModel(
  { expanded: { config }, settings, directory }: Inspection,
  {
    model: given,
    syntax: flag,
    env = process.env,
    cwd = process.cwd(),
    allowPaths = [],
    remote = false,
  }: PrepareOptions,
): Promise<{ model: Model; syntax: Syntax }> {
  const place = { directory, cwd, allowPaths, remote }
  const model = await chooseDocumentModel({ given, config, settings, env }, place)
  const { nativeTools } = model
  const { syntax } = resolveSyntax({ flag, document: config?.toolSyntax, env, settings, nativeTools })
  return { model, syntax }
}
