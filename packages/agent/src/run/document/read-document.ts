import { realpath } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { ArgotError, type Diagnostic } from '@argot/core'
import { type ChatDocument, expand, parseChatMd, type ResolveResult, type Resolver } from '@argot/core/chatmd'
import {
  type AgentResult,
  type ExpandedDocument,
  type ExpandOptions,
  parseChecked,
  type RunAgent,
  type Tree,
} from '@argot/core/chatmd/internal'
import { defined } from '@argot/core/stream/internal'
import type { AnswerFormat } from '../../loop/answer/answer-format.ts'
import { createResolver } from '../../resolver/create-resolver.ts'
import type { ResolverOptions } from '../../resolver/resolver-options.ts'
import { findConfigFolder } from '../../settings/config-folder.ts'
import { loadSettings } from '../../settings/load-settings.ts'
import type { Settings } from '../../settings/settings.ts'
import type { DocumentRecords } from '../../store/element-records.ts'
import { matchDocument } from '../../store/match-document.ts'
import type { UndoneTurn } from '../../store/undone-turns.ts'
import { ToolModules } from '../../tool/source/tool-modules.ts'
import type { ToolProblem } from '../../tool/source/tool-problem.ts'
import type { Tool } from '../../tool/tool.ts'
import { BadDocument } from './bad-document.ts'
import { configProblems } from './config-problems.ts'
import { type DeclarationContext, declarationProblem } from './declaration-problem.ts'
import type { DocumentOptions } from './document-options.ts'
import { findFormat } from './find-format.ts'
import { ParamValues } from './param-values.ts'
import { toDiagnostics } from './range-problem.ts'
import { runningDocuments } from './running-documents.ts'
import { createStoreResolver } from './store-resolver.ts'
import { toRangeProblem } from './to-range-problem.ts'
import { toolRoots } from './tool-roots.ts'

export type DocumentSource =
  | ChatDocument
  | { file: string; text: string; tree?: Tree | undefined; records?: DocumentRecords | undefined }

/** A document as read, with all of its problems that can be found before anything starts or costs money. */
export interface DocumentReading {
  document: ChatDocument
  /** Without the answers of agents, whose places are empty. */
  expanded: ExpandedDocument
  problems: Diagnostic[]
  /** The tools that it may declare: a document from the web gets no tools of this machine. */
  declared: ExpandedDocument['tools']
  /** The document's folder, and those that its tools may use. */
  directory: string
  roots: readonly string[]
  configFolder: string
  settings: Settings
  answer: AnswerFormat | undefined
  resolver: Resolver
  resolverOptions: ResolverOptions
  /** The parameter values, unless the document is only checked. */
  params: ParamValues | undefined
  undone: readonly UndoneTurn[]
  expandOptions: ExpandOptions
  findDeclarationProblem(
    declaration: ExpandedDocument['tools'][number],
    codeTools: readonly Tool[],
    hasUnloadedModules: boolean,
  ): Promise<ToolProblem | undefined>
}

/**
 * Reads a document and its references, and finds its problems. This is the only source of what `check` reports and a
 * run refuses. Without `offline`, a document with errors in itself is refused before anything else is read.
 */
export async function readDocument(source: DocumentSource, options: DocumentOptions): Promise<DocumentReading> {
  const { env = process.env, cwd = process.cwd(), signal, remote = false, offline = false } = options
  const { document, diagnostics } =
    'text' in source
      ? parseChecked(source.tree ?? source.text, { file: source.file })
      : { document: source, diagnostics: [] }
  if (!offline) refuseErrors(diagnostics)
  const { file } = document
  const directory = file === undefined ? cwd : dirname(resolve(cwd, file))
  const { allowPaths = [], allowPrivateAddresses = false } = options
  // Resolved now, because a program of the run may later turn one into a link to somewhere else.
  const allowed = await Promise.all(
    allowPaths.map(path => realpath(resolve(cwd, path)).catch(() => resolve(cwd, path))),
  )
  const resolverOptions = { directory, cwd, allowPaths: allowed, allowPrivateAddresses }
  const open = (isOffline: boolean): Resolver => openResolver({ ...resolverOptions, offline: isOffline }, options)
  const onDisk = open(offline)
  const resolver = options.resolver === undefined ? onDisk : withWrittenFiles(options.resolver, onDisk)
  const checkResolver = offline || resolver !== onDisk ? resolver : open(true)
  const configFolder = options.configFolder ?? findConfigFolder({ env })
  const settings = await loadSettings({ directory, configFolder, env })
  const roots = toolRoots({ cwd, directory, allowPaths })
  const agents = runningDocuments(file, options)
  // A check has no values: a place without a default stays as written.
  const { paramValues = options.isCheck === true ? 'later' : new ParamValues(options, options.frozen) } = options
  const params = paramValues === 'later' ? undefined : paramValues
  const records = 'text' in source && source.records && matchDocument(document.tree, source.records)
  const expandOptions = {
    resolver: rememberSources(resolver),
    agents,
    ...defined({ signal, frozen: options.frozen, params: params?.find, records: records || undefined }),
  }
  // Agents cost something, so Argot asks them only when everything else is known to be right.
  const checkOptions = {
    ...options,
    agents,
    agentProblems: options.agentProblems ?? new Map<string, Promise<string | undefined>>(),
  }
  const expanded = await expand(document, { ...expandOptions, runAgent: inspectAgents(checkOptions) })
  const declared = remote ? expanded.tools.filter(tool => tool.kind === 'mcp') : expanded.tools
  const place = { directory, cwd, allowPaths, remote }
  const config = await configProblems(expanded, { overrides: options, settings, env, ...place })
  const output = await findFormat(expanded, options, { resolver: checkResolver, document: file })
  const modules = new ToolModules({
    roots: await Promise.all(roots.map(root => realpath(root).catch(() => root))),
    listOnly: true,
    mayLoad: () => Promise.resolve(false),
  })
  const context: Omit<DeclarationContext, 'codeTools' | 'hasUnloadedModules'> = {
    resolver: checkResolver,
    document: file,
    allowPrivateAddresses,
    hasFolder: options.hasFolder ?? true,
    allowEnv: remote ? undefined : (options.allowEnv ?? []),
    agentObjection: (agent, text) => toolObjection(agent, text, checkOptions),
    moduleProblem: ({ module, file: from = file ?? join(cwd, '-') }) => modules.findProblem(module, resolve(cwd, from)),
  }
  const findDeclarationProblem: DocumentReading['findDeclarationProblem'] = (
    declaration,
    codeTools,
    hasUnloadedModules,
  ) => declarationProblem(declaration, { ...context, codeTools, hasUnloadedModules })
  const hasUnloadedModules = (options.toolModules ?? []).length > 0
  const problems: ToolProblem[] = []
  for (const one of declared) {
    const problem = await findDeclarationProblem(one, options.tools ?? [], hasUnloadedModules)
    // Problems that a run may leave out are reported when it does.
    if (problem !== undefined && (options.isCheck === true || !problem.canBeLeftOut)) problems.push(problem)
  }
  const wrong = toDiagnostics(
    [...config, ...output.problems, ...problems.map(one => toRangeProblem(one, false))],
    expanded.sources,
  )
  return {
    document,
    expanded,
    declared,
    directory,
    roots,
    configFolder,
    settings,
    resolver,
    resolverOptions,
    expandOptions,
    params,
    undone: ('text' in source ? source.records?.undone : undefined) ?? [],
    problems: sortDiagnostics([...diagnostics, ...expanded.diagnostics, ...wrong]),
    answer: output.format,
    findDeclarationProblem,
  }
}

/** Documents that aren't files refer to others in their store. */
function openResolver(options: ResolverOptions & { cwd: string }, { store }: DocumentOptions): Resolver {
  const disk = createResolver(options)
  return store === undefined || store.root !== undefined ? disk : createStoreResolver(store, options.cwd, disk)
}

/** Files that Argot wrote beside the document are read from where Argot put them, whatever resolver reads the rest. */
function withWrittenFiles(resolver: Resolver, onDisk: Resolver): Resolver {
  return {
    resolve(request) {
      const isWritten = request.kind === 'payload' || request.kind === 'meta'
      return (isWritten ? onDisk : resolver).resolve(request)
    },
  }
}

/** By file, and by position within each file. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const files = new Map([...new Set(diagnostics.map(({ file }) => file))].map((file, index) => [file, index]))
  const offset = ({ range }: Diagnostic): number => range?.start.offset ?? 0
  return diagnostics.toSorted((a, b) => files.get(a.file)! - files.get(b.file)! || offset(a) - offset(b))
}

/** Throws a `BadDocument` if one of them is an error. */
export function refuseErrors(diagnostics: readonly Diagnostic[]): void {
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  if (errors.length === 0) return
  const { code } = errors[0]!
  // Programs get one code for all language errors; the diagnostics name the rule.
  throw new BadDocument(diagnostics, code.startsWith('CHATMD_') ? 'RUN_BAD_DOCUMENT' : code)
}

type AgentCheckOptions = DocumentOptions & Required<Pick<DocumentOptions, 'agents' | 'agentProblems'>>

/** Doesn't ask agents in the text, but finds what would keep them from answering. */
function inspectAgents(options: AgentCheckOptions): RunAgent {
  return async ({ file, source, local, agents }): Promise<AgentResult> => {
    // Only defaults: an agent in the text gets no values.
    const inner = { ...options, agents, paramValues: new ParamValues({}) }
    const objection = local ? await agentObjection(`text ${file}`, { file, source }, inner) : undefined
    if (objection === undefined) return { ok: true, text: '', pending: true }
    const message = `The agent \`${file}\` can't run: ${objection}`
    return { ok: false, problem: { code: 'CHATMD_AGENT_FAILED', message, cure: 'Fix that document.' } }
  }
}

/** What would keep an agent tool from answering. One that leads back here is already being checked. */
async function toolObjection(file: string, source: string, options: AgentCheckOptions): Promise<string | undefined> {
  if (options.agents.includes(file)) return undefined
  const inner = { ...options, agents: [...options.agents, file], paramValues: 'later' } as const
  return agentObjection(`tool ${file}`, { file, source }, inner)
}

/** Checks each file once. */
function agentObjection(
  key: string,
  agent: { file: string; source: string },
  options: AgentCheckOptions,
): Promise<string | undefined> {
  const objection = options.agentProblems.get(key) ?? findObjection(agent, options)
  options.agentProblems.set(key, objection)
  return objection
}

async function findObjection(
  { file, source }: { file: string; source: string },
  options: AgentCheckOptions,
): Promise<string | undefined> {
  const { frozen: _, ...rest } = options
  const { document, diagnostics: syntaxProblems } = parseChatMd(source, { file })
  const inner = { ...rest, remote: false, offline: true }
  const diagnostics = hasError(syntaxProblems) ? syntaxProblems : await readAgent(document, inner)
  const error = diagnostics.find(({ severity }) => severity === 'error')
  if (error === undefined) return undefined
  const { range, message } = error
  const where = range === undefined ? '' : `${error.file ?? file}:${range.start.line}:${range.start.column}: `
  return `${where}${message}`
}

async function readAgent(document: ChatDocument, options: DocumentOptions): Promise<readonly Diagnostic[]> {
  try {
    return (await readDocument(document, options)).problems
  } catch (error) {
    if (!(error instanceof ArgotError)) throw error
    return [{ code: error.code, severity: 'error', message: error.message }]
  }
}

function hasError(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(({ severity }) => severity === 'error')
}

/** Reads each source once, however often a document is expanded, so that no page is fetched twice for one run. */
function rememberSources(resolver: Resolver): Resolver {
  const pending = new Map<string, Promise<ResolveResult>>()
  return {
    resolve(request) {
      const { signal: _, ...rest } = request
      const key = JSON.stringify(rest)
      let result = pending.get(key)
      if (result === undefined) {
        result = resolver.resolve(request)
        pending.set(key, result)
      }
      return result
    },
  }
}
