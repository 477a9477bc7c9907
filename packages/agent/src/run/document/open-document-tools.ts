import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { ArgotError } from '@argot/core'
import { createWorkspace, type Workspace } from '../../files/workspace.ts'
import { createAskModel } from '../../refine/ask-model.ts'
import { refineText } from '../../refine/refine-text.ts'
import { makeStateKey } from '../../store/state-key.ts'
import { createBuiltinTools } from '../../tool/builtin/builtin-tools.ts'
import type { RunFork } from '../../tool/builtin/fork.ts'
import { createRedactor } from '../../tool/output/redact.ts'
import { openSandbox } from '../../tool/sandbox/open-sandbox.ts'
import type { Sandbox } from '../../tool/sandbox/sandbox.ts'
import { getEffect } from '../../tool/source/declared-source.ts'
import { ToolModules } from '../../tool/source/tool-modules.ts'
import type { Tool } from '../../tool/tool.ts'
import type { Toolbox } from '../../tool/toolbox.ts'
import { type CommandIdentity, identifyCommand } from '../../trust/identify-command.ts'
import { trustCommand } from '../../trust/trust-command.ts'
import { createTrustStore } from '../../trust/trust-store.ts'
import { ToolFailure } from '../../words/tool-failure.ts'
import type { Notice } from '../run-options.ts'
import { BadDocument } from './bad-document.ts'
import type { DocumentOptions } from './document-options.ts'
import type { DocumentPlan } from './plan-document.ts'
import { toDiagnostics } from './range-problem.ts'
import { runningDocuments } from './running-documents.ts'
import { toRangeProblem } from './to-range-problem.ts'
import { createCatalogue } from './tool-catalogue.ts'
import { pathsToProtect } from './tool-roots.ts'

/** Undefined if the command can't be identified. */
type Identity = CommandIdentity | undefined

/**
 * Creates the tools that a document declares, and connects to its servers. May ask the user whether to trust its
 * commands. Throws a `BadDocument` if a declaration is wrong; passes other problems to `report`.
 */
export async function openDocumentTools(
  plan: DocumentPlan,
  options: DocumentOptions,
  report: Notice,
): Promise<Toolbox> {
  const { document, expanded, roots, configFolder, resolver, subAgents } = plan
  const { file } = document
  const { env = process.env, cwd = process.cwd(), allowExec = false, allowPrivateAddresses = false } = options
  const agents = runningDocuments(file, options)
  const { remote = false, protect = [], toolModules = [], signal, trust } = options
  const listOnly = options.listOnly === true
  const real = file === undefined ? undefined : await realpath(resolve(cwd, file)).catch(() => undefined)
  const running = [...protect, ...(real === undefined ? [] : [real])]
  const protectedPaths = pathsToProtect(configFolder, running)
  const workspace = createWorkspace({ roots, protectedPaths, editor: options.editor?.files })
  const store = options.trustStore ?? createTrustStore({ configFolder })
  const isTrusted = async (command: string, identify: () => Identity | Promise<Identity>): Promise<boolean> =>
    allowExec || (real !== undefined && trustCommand({ store, file: real, command, identity: await identify(), trust }))
  const modules = new ToolModules({
    roots: await Promise.all(roots.map(root => realpath(root).catch(() => root))),
    listOnly,
    mayLoad: (command, identity) => isTrusted(command, () => identity),
  })
  const moduleTools = remote ? [] : await loadModuleTools(modules, toolModules, cwd, listOnly ? report : undefined)
  const codeTools = [...(options.tools ?? []), ...moduleTools]
  const hasUnloadedModules = listOnly && toolModules.length > 0
  const bounds = { mode: options.sandbox, roots, protectedPaths, hiddenPaths: [configFolder], env }
  let sandbox: Promise<Sandbox> | undefined
  const { toolbox, problems } = await createCatalogue(plan.declared, {
    builtin: withForkEffect(builtinTools(workspace, plan, options), plan, codeTools),
    codeTools: codeTools,
    offered: moduleTools,
    modules,
    mayRun: async command =>
      listOnly || isTrusted(command, () => identifyCommand(command, { cwd: workspace.root, env, roots })),
    env,
    allowPrivateAddresses,
    remote,
    signal,
    resolver,
    agents,
    findProblem: declaration => plan.findDeclarationProblem(declaration, codeTools, hasUnloadedModules),
    document: file,
    runAgent: subAgents?.tool,
    // Looking for the sandbox starts it, so a listing has none.
    sandbox: listOnly ? undefined : () => (sandbox ??= openSandbox(bounds)),
    terminal: options.editor?.terminal,
    cwd: workspace.root,
    workspace,
    allowEnv: options.allowEnv ?? [],
    listOnly,
    notice: text => report(text, { always: true }),
  })
  const mayLeaveOut = options.skipUntrusted === true || trust !== undefined || listOnly
  const wrong = problems.filter(one => !plan.isOnlyListed(one)).map(problem => toRangeProblem(problem, mayLeaveOut))
  const diagnostics = toDiagnostics(wrong, expanded.sources)
  const error = diagnostics.find(({ severity }) => severity === 'error')
  if (error !== undefined) {
    await toolbox.close()
    throw new BadDocument(diagnostics, error.code)
  }
  for (const { message, cure } of diagnostics) report(`${message} ${cure}`, { always: true })
  return toolbox
}

function builtinTools(
  workspace: Workspace,
  { talk, rules, configFolder }: DocumentPlan,
  { env = process.env, allowPrivateAddresses = false, fork = listedOnly }: DocumentOptions,
): ReturnType<typeof createBuiltinTools> {
  return createBuiltinTools({
    workspace,
    fork,
    indexKey: () => makeStateKey(configFolder, env),
    web: { allowPrivateAddresses, objectTo: (from, to) => rules.objectToRedirect('webpage_to_markdown', from, to) },
    refine: async (prompt, task, stop) => {
      const ask = createAskModel({ ...talk, signal: stop, redact: createRedactor(env) })
      return (await refineText(prompt, { ask, task, objectTo: () => undefined })).text
    },
  })
}

const listedOnly: RunFork = () => Promise.reject(new ToolFailure('TOOL_FAILED', "A listed tool can't run."))

/** A fork may do what its document's tools may do. If all of them certainly only read, it runs again after a crash. */
function withForkEffect(
  builtin: Map<string, Tool>,
  { declared }: DocumentPlan,
  codeTools: readonly Tool[],
): Map<string, Tool> {
  const fork = builtin.get('fork')
  const reads = declared.every(
    one =>
      one.kind === 'skills' ||
      (one.kind === 'builtin' &&
        (one.name === 'fork' || getEffect(one.name, { builtin, codeTools: codeTools }) === 'read')),
  )
  if (fork !== undefined && reads && codeTools.every(tool => tool.effect === 'read'))
    builtin.set('fork', { ...fork, effect: 'read' })
  return builtin
}

/** The tools of the modules that the user names. A problem with one ends the run, because the user wants it. */
async function loadModuleTools(
  modules: ToolModules,
  files: readonly string[],
  cwd: string,
  skip: Notice | undefined,
): Promise<Tool[]> {
  const tools: Tool[] = []
  for (const file of files) {
    const moduleTools = await modules.getAllTools(file, cwd)
    if (Array.isArray(moduleTools)) tools.push(...moduleTools)
    else if (skip !== undefined && moduleTools.canBeLeftOut) skip(`${moduleTools.message} ${moduleTools.cure}`)
    else throw new ArgotError(moduleTools.code, `${moduleTools.message} ${moduleTools.cure}`)
  }
  return tools
}
