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
import { matchDocument } from '../../store/match-records.ts'
import type { UndoneTurn } from '../../store/undone-turns.ts'
import { ToolModules } from '../../tool/source/tool-modules.ts'
import type { ToolProblem } from '../../tool/source/tool-problem.ts'
import type { Tool } from '../../tool/tool.ts'
import { BadDocument } from './bad-document.ts'
import { configProblems } from './config-problems.ts'
import { type DeclarationContext, declarationProblem } from './declaration-problem.ts'
import type { DocumentOptions } from './document-options.ts'
import { findFormat } from './find-format.ts'
import { foundProblem } from './found-problem.ts'
import { ParamValues } from './param-values.ts'
import { placed } from './place-of.ts'
import { runningDocuments } from './running-documents.ts'
import { createStoreResolver } from './store-resolver.ts'
import { toolRoots } from './tool-roots.ts'

/** A document as it was parsed, or its file with its text, and the tree of that text if it was built before. */
export type DocumentSource =
  | ChatDocument
  | { file: string; text: string; tree?: Tree | undefined; records?: DocumentRecords | undefined }

/** A document as it was read, with everything that is wrong with it before anything is started or paid for. */
export interface DocumentReading {
  document: ChatDocument
  /** Without the answers of agents, whose places are empty. */
  expanded: ExpandedDocument
  /** Everything that can be said about it; a run refuses one with errors. */
  problems: Diagnostic[]
  /** The tools that it may declare: a document from the web gets no tools of this machine. */
  declared: ExpandedDocument['tools']
  /** The folder of the document, and those that its tools may use. */
  directory: string
  roots: readonly string[]
  configFolder: string
  settings: Settings
  /** The form that the final answer must have. */
  answer: AnswerFormat | undefined
  resolver: Resolver
  resolverOptions: ResolverOptions
  /** The values of its parameters, unless it is only checked. */
  params: ParamValues | undefined
  /** The turns whose changes to files the user undid. */
  undone: readonly UndoneTurn[]
  /** To be passed on where the document is expanded again. */
  shared: ExpandOptions
  /** What is wrong with the declaration of a tool in itself, given the tools in code. */
  problemOf(
    declaration: ExpandedDocument['tools'][number],
    own: readonly Tool[],
    hasUnread: boolean,
  ): Promise<ToolProblem | undefined>
}

/**
 * Reads a document and what it refers to, and finds what is wrong with it: the one place for what `check` says and a run
 * refuses. Without `offline` a document with errors of its own is refused before anything else is read.
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
  // As they are now: a program of the run may turn one into a link to somewhere else.
  const allowed = await Promise.all(
    allowPaths.map(path => realpath(resolve(cwd, path)).catch(() => resolve(cwd, path))),
  )
  const resolverOptions = { directory, cwd, allowPaths: allowed, allowPrivateAddresses }
  const open = (isOffline: boolean): Resolver => openResolver({ ...resolverOptions, offline: isOffline }, options)
  const onDisk = open(offline)
  const resolver = options.resolver === undefined ? onDisk : withWrittenFiles(options.resolver, onDisk)
  const still = offline || resolver !== onDisk ? resolver : open(true)
  const configFolder = options.configFolder ?? findConfigFolder({ env })
  const settings = await loadSettings({ directory, configFolder, env })
  const roots = toolRoots({ cwd, directory, allowPaths })
  const agents = runningDocuments(file, options)
  // Who only checks a document gives no values: a place without a default stays as it is written.
  const { paramValues = options.isCheck === true ? 'later' : new ParamValues(options, options.frozen) } = options
  const params = paramValues === 'later' ? undefined : paramValues
  const records = 'text' in source && source.records && matchDocument(document.tree, source.records)
  const shared = {
    resolver: rememberSources(resolver),
    agents,
    ...defined({ signal, frozen: options.frozen, params: params?.find, records: records || undefined }),
  }
  // Agents cost something: they are asked when everything else is known to be right.
  const looking = { ...options, agents, seen: options.seen ?? new Map<string, Promise<string | undefined>>() }
  const expanded = await expand(document, { ...shared, runAgent: lookAtAgents(looking) })
  const declared = remote ? expanded.tools.filter(tool => tool.kind === 'mcp') : expanded.tools
  const place = { directory, cwd, allowPaths, remote }
  const config = await configProblems(expanded, { given: options, settings, env, ...place })
  const output = await findFormat(expanded, options, { resolver: still, document: file })
  const modules = new ToolModules({
    roots: await Promise.all(roots.map(root => realpath(root).catch(() => root))),
    listOnly: true,
    mayLoad: () => Promise.resolve(false),
  })
  const context: Omit<DeclarationContext, 'own' | 'hasUnread'> = {
    resolver: still,
    document: file,
    allowPrivateAddresses,
    hasFolder: options.hasFolder ?? true,
    allowEnv: remote ? undefined : (options.allowEnv ?? []),
    agentObjection: (agent, text) => toolObjection(agent, text, looking),
    moduleProblem: ({ module, file: from = file ?? join(cwd, '-') }) => modules.findProblem(module, resolve(cwd, from)),
  }
  const problemOf: DocumentReading['problemOf'] = (declaration, own, hasUnread) =>
    declarationProblem(declaration, { ...context, own, hasUnread })
  const hasUnread = (options.toolModules ?? []).length > 0
  const problems: ToolProblem[] = []
  for (const one of declared) {
    const problem = await problemOf(one, options.tools ?? [], hasUnread)
    // What a run may leave out is said when it does.
    if (problem !== undefined && (options.isCheck === true || !problem.canBeLeftOut)) problems.push(problem)
  }
  const wrong = placed(
    [...config, ...output.problems, ...problems.map(one => foundProblem(one, false))],
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
    shared,
    params,
    undone: ('text' in source ? source.records?.undone : undefined) ?? [],
    problems: inOrder([...diagnostics, ...expanded.diagnostics, ...wrong]),
    answer: output.format,
    problemOf,
  }
}

/** Documents that are not files refer to others in their store. */
function openResolver(options: ResolverOptions & { cwd: string }, { store }: DocumentOptions): Resolver {
  const disk = createResolver(options)
  return store === undefined || store.root !== undefined ? disk : createStoreResolver(store, options.cwd, disk)
}

/** What Argot wrote beside the document is found where Argot put it, whoever reads the rest. */
function withWrittenFiles(given: Resolver, onDisk: Resolver): Resolver {
  return {
    resolve(request) {
      const isWritten = request.kind === 'payload' || request.kind === 'meta'
      return (isWritten ? onDisk : given).resolve(request)
    },
  }
}

/** File by file, and in each as they are there. */
export function inOrder(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const files = new Map([...new Set(diagnostics.map(({ file }) => file))].map((file, index) => [file, index]))
  const offset = ({ range }: Diagnostic): number => range?.start.offset ?? 0
  return diagnostics.toSorted((a, b) => files.get(a.file)! - files.get(b.file)! || offset(a) - offset(b))
}

/** Throws where one of them is an error. */
export function refuseErrors(diagnostics: readonly Diagnostic[]): void {
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  if (errors.length === 0) return
  const { code } = errors[0]!
  // What the language refuses has one name in programs; the diagnostics say which rule it is.
  throw new BadDocument(diagnostics, code.startsWith('CHATMD_') ? 'RUN_BAD_DOCUMENT' : code)
}

type Looking = DocumentOptions & Required<Pick<DocumentOptions, 'agents' | 'seen'>>

/** Agents in the text are not asked: only what would keep them from answering is found. */
function lookAtAgents(options: Looking): RunAgent {
  return async ({ file, source, local, agents }): Promise<AgentResult> => {
    // Nothing but defaults: an agent in the text is given no values.
    const inner = { ...options, agents, paramValues: new ParamValues({}) }
    const objection = local ? await agentObjection(`text ${file}`, { file, source }, inner) : undefined
    if (objection === undefined) return { ok: true, text: '', pending: true }
    const message = `The agent \`${file}\` cannot be asked: ${objection}`
    return { ok: false, problem: { code: 'CHATMD_AGENT_FAILED', message, cure: 'Fix that document.' } }
  }
}

/** What would keep an agent that is a tool from answering. One that leads back here is being looked at already. */
async function toolObjection(file: string, source: string, options: Looking): Promise<string | undefined> {
  if (options.agents.includes(file)) return undefined
  const inner = { ...options, agents: [...options.agents, file], paramValues: 'later' } as const
  return agentObjection(`tool ${file}`, { file, source }, inner)
}

/** Finds it once for each file. */
function agentObjection(
  key: string,
  agent: { file: string; source: string },
  options: Looking,
): Promise<string | undefined> {
  const looking = options.seen.get(key) ?? findObjection(agent, options)
  options.seen.set(key, looking)
  return looking
}

async function findObjection(
  { file, source }: { file: string; source: string },
  options: Looking,
): Promise<string | undefined> {
  const { frozen: _, ...rest } = options
  const { document, diagnostics: own } = parseChatMd(source, { file })
  const inner = { ...rest, remote: false, offline: true }
  const diagnostics = hasError(own) ? own : await readAgent(document, inner)
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

/** Reads each source once, however often a document is expanded: a page is not fetched twice for one run. */
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
