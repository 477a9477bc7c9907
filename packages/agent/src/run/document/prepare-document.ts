import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { ArgotError, type Diagnostic } from 'argot'
import { type ChatDocument, type Expanded, expand, type Resolver } from 'argot/chatmd'
import { defined } from 'argot/stream'
import { type CallLimit, callLimits, type Syntax } from 'argot/syntax'
import type { ApprovalPolicy } from '../../approval/approval.ts'
import { effectivePolicy } from '../../approval/effective-policy.ts'
import { RuleBook } from '../../approval/rule-book.ts'
import { stricter } from '../../approval/stricter-policy.ts'
import { createWorkspace } from '../../files/workspace.ts'
import type { AnswerFormat } from '../../loop/answer/answer-format.ts'
import type { Model, ModelSettings } from '../../model/model.ts'
import { createAskModel } from '../../refine/ask-model.ts'
import { refineText } from '../../refine/refine-text.ts'
import { createFileFetcher, type FetchFile } from '../../resolver/fetch-file.ts'
import { collectRules } from '../../settings/collect-rules.ts'
import { resolveMaxSteps, resolveModelName, resolvePrice, resolveSyntax } from '../../settings/resolve-settings.ts'
import { stateFolder } from '../../store/folder/layout.ts'
import { createBuiltinTools } from '../../tool/builtin/builtin-tools.ts'
import { createRedactor } from '../../tool/output/redact.ts'
import { openSandbox } from '../../tool/sandbox/open-sandbox.ts'
import type { Sandbox } from '../../tool/sandbox/sandbox.ts'
import { ToolModules } from '../../tool/source/tool-modules.ts'
import type { Tool } from '../../tool/tool.ts'
import type { Toolbox } from '../../tool/toolbox.ts'
import { identifyCommand } from '../../trust/identify-command.ts'
import { trustCommand } from '../../trust/trust-command.ts'
import { createTrustStore } from '../../trust/trust-store.ts'
import type { Price } from '../../words/price.ts'
import type { AgentCache } from '../agents/agent-cache.ts'
import type { ChangedSource } from '../agents/frozen-sources.ts'
import type { SubAgents } from '../agents/sub-agents.ts'
import { toModel } from '../model-and-limit.ts'
import type { Notice } from '../run-options.ts'
import { BadDocument } from './bad-document.ts'
import { foundProblem } from './found-problem.ts'
import { type InspectOptions, inspectDocument, refuseErrors } from './inspect-document.ts'
import type { ParamValue } from './param-values.ts'
import { placed } from './place-of.ts'
import { createCatalogue } from './tool-catalogue.ts'

/** A document with everything that a run of it needs, before anything is started. */
export interface Prepared {
  /** Without the answers of agents, whose places are empty. */
  expanded: Expanded
  /** The same with the answers of agents: asks those whose answers are not known yet. Throws when one fails. */
  askAgents(): Promise<Expanded>
  /** The values of the parameters of the document. */
  params: readonly ParamValue[]
  /** What answered turns brought in and what is not the same any more. */
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

export type PrepareOptions = InspectOptions & {
  /** Makes what runs agents of the document, under its policy. Without it none is run, and their places stay empty. */
  createSubAgents?: (policy: ApprovalPolicy, strict: RuleBook['strictPart']) => SubAgents
  /** What agents answered in earlier runs. */
  agentCache?: AgentCache | undefined
  /** What the documents that are running this one make stricter. */
  strict?: RuleBook['strictPart']
  /** Documents that runs write to, this one and those around it, as real paths: no tool may change them. */
  protect?: readonly string[]
  /** The tools are only to be listed: nobody is asked about commands. */
  listOnly?: boolean
}

/** Reads, checks and expands a document, and finds its model, syntax and limits. Throws when it cannot be run. */
export async function prepareDocument(
  source: ChatDocument | { file: string; text: string },
  options: PrepareOptions,
): Promise<Prepared> {
  const { env = process.env, cwd = process.cwd(), signal } = options
  const inspected = await inspectDocument(source, options)
  // A listing shows what there is, beside what is said about tools that nobody has and about agents that could not run.
  const isShown = ({ code }: Pick<Diagnostic, 'code'>): boolean =>
    options.listOnly === true && (code === 'TOOL_UNKNOWN' || code === 'CHATMD_AGENT_FAILED')
  refuseErrors(inspected.diagnostics.filter(one => !isShown(one)))
  const { document, expanded, settings, roots, directory, configFolder, resolver } = inspected
  const { file } = document
  const { allowPrivateAddresses = false, approveAtMost } = options
  const { policy: wanted, notice } = effectivePolicy({ flag: options.approve, ...settings.approve })
  const policy = approveAtMost === undefined ? wanted : stricter(wanted, approveAtMost)
  const collected = collectRules({ flag: options.rules, settings: settings.rules })
  const projects = [
    ...(options.strict?.projects ?? []),
    ...Object.values(defined({ project: settings.approve.project?.value, asked: approveAtMost })),
  ]
  const rules = new RuleBook({ policy, projects, rules: [...(options.strict?.rules ?? []), ...collected.rules], roots })
  const { agents = [file ?? 'the document'], protect = [], remote = false } = options
  const subAgents = options.createSubAgents?.(policy, rules.strictPart)
  const { config } = expanded
  const named =
    options.model !== undefined && typeof options.model !== 'string'
      ? options.model
      : resolveModelName({ flag: options.model, document: config?.model, env, settings })?.value
  const model = await toModel(named, { env, directory, ...defined({ api: config?.api }) })
  const { syntax } = resolveSyntax({
    flag: options.syntax,
    document: config?.toolSyntax,
    env,
    settings,
    nativeTools: model.nativeTools,
  })
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
      const whole = await expand(document, { ...inspected.shared, runAgent: subAgents.run })
      refuseErrors(whole.diagnostics)
      return whole
    },
    params: inspected.params?.used ?? [],
    changedSources: async () => (await options.frozen?.changes(resolver, file, inspected.params?.byName)) ?? [],
    diagnostics: inspected.diagnostics,
    limit: options.limit ?? callLimits.find(one => one === config?.limit) ?? settings.limit?.value,
    maxSteps: resolveMaxSteps({ flag: options.maxSteps, document: config?.maxSteps, settings }).value,
    settings: modelSettings,
    price: resolvePrice(options.price, settings, model.name),
    format: inspected.format,
    notices: [notice, collected.notice, model.notice].filter(text => text !== undefined),
    fetchFile: createFileFetcher(inspected.resolverOptions),
    async openTools(say) {
      const real = file === undefined ? undefined : await realpath(resolve(cwd, file)).catch(() => undefined)
      const protectedPaths = [
        configFolder,
        ...[...protect, ...(real === undefined ? [] : [real])].flatMap(one => [one, stateFolder(one)]),
      ]
      const workspace = createWorkspace({ roots, protectedPaths })
      const bounds = { mode: options.sandbox, roots, protectedPaths, hiddenPaths: [configFolder], env }
      let sandbox: Promise<Sandbox> | undefined
      const store = options.trustStore ?? createTrustStore({ configFolder })
      const { trust, allowExec = false } = options
      const builtin = createBuiltinTools({
        workspace,
        web: { allowPrivateAddresses, objectTo: (from, to) => rules.objectToRedirect('webpage_to_markdown', from, to) },
        refine: async (prompt, task, stop) => {
          const ask = createAskModel({ model, settings: modelSettings, signal: stop, redact: createRedactor(env) })
          return (await refineText(prompt, { ask, task, objectTo: () => undefined })).text
        },
      })
      const identify = (command: string) => identifyCommand(command, { cwd: workspace.root, env, roots })
      const mayRun = async (command: string): Promise<boolean> =>
        options.listOnly === true ||
        allowExec ||
        (real !== undefined && trustCommand({ store, file: real, command, identity: await identify(command), trust }))
      const modules = new ToolModules({
        roots: await Promise.all(roots.map(root => realpath(root).catch(() => root))),
        listOnly: options.listOnly === true,
        mayLoad: async (command, identity) =>
          allowExec || (real !== undefined && trustCommand({ store, file: real, command, identity, trust })),
      })
      const offered = remote
        ? []
        : await loadOffered(modules, options.toolModules ?? [], cwd, options.listOnly === true ? say : undefined)
      const own = [...(options.tools ?? []), ...offered]
      // Looking for the sandbox starts it.
      const findSandbox = options.listOnly === true ? undefined : () => (sandbox ??= openSandbox(bounds))
      const hasUnread = options.listOnly === true && (options.toolModules ?? []).length > 0
      const { toolbox, problems } = await createCatalogue(inspected.declared, {
        builtin,
        own,
        offered,
        modules,
        mayRun,
        env,
        allowPrivateAddresses,
        remote,
        signal,
        resolver,
        agents,
        problemOf: declaration => inspected.problemOf(declaration, own, hasUnread),
        document: file,
        runAgent: subAgents?.tool,
        sandbox: findSandbox,
        cwd: workspace.root,
        allowEnv: options.allowEnv ?? [],
        listOnly: options.listOnly === true,
        notice: text => say(text, { always: true }),
      })
      const isForgiven = options.skipUntrusted === true || trust !== undefined || options.listOnly === true
      const found = problems.filter(one => !isShown(one)).map(problem => foundProblem(problem, isForgiven))
      const said = placed(found, expanded.sources)
      const errors = said.filter(({ severity }) => severity === 'error')
      if (errors.length > 0) {
        await toolbox.close()
        throw new BadDocument(said, errors[0]!.code)
      }
      for (const { message, cure } of said) say(`${message} ${cure}`, { always: true })
      return toolbox
    },
  }
}

/** The tools of the modules that the user names. What is wrong with one ends the run: the user wants it. */
async function loadOffered(
  modules: ToolModules,
  files: readonly string[],
  cwd: string,
  skip: Notice | undefined,
): Promise<Tool[]> {
  const tools: Tool[] = []
  for (const file of files) {
    const found = await modules.all(file, cwd)
    if (Array.isArray(found)) tools.push(...found)
    else if (skip !== undefined && found.canBeLeftOut) skip(`${found.message} ${found.cure}`)
    else throw new ArgotError(found.code, `${found.message} ${found.cure}`)
  }
  return tools
}
