import { ArgotError } from '@argot/core'
import type { Resolver } from '@argot/core/chatmd'
import type { ToolDeclaration } from '@argot/core/chatmd/internal'
import { nearestNames } from '@argot/core/stream/internal'
import { SourceError } from '../../files/source-error.ts'
import { builtinNames, fileToolNames } from '../../tool/builtin/builtin-tools.ts'
import { checkToolName } from '../../tool/define-tool.ts'
import { splitCommand } from '../../tool/process/split-command.ts'
import { checkServerName } from '../../tool/source/mcp.ts'
import type { ToolModules } from '../../tool/source/tool-modules.ts'
import type { ToolProblem } from '../../tool/source/tool-problem.ts'
import type { Tool } from '../../tool/tool.ts'
import { refuseTokenName } from '../../trust/token-for.ts'
import { AddressPolicy } from '../../web/address-policy.ts'
import { checkHost, parseWebAddress } from '../../web/web-address.ts'
import { quoted } from '../../words/quoted.ts'

export interface DeclarationContext {
  /** Tools of the program and of the user's modules. */
  codeTools: readonly Tool[]
  /** An unknown name may be one of theirs. */
  hasUnloadedModules: boolean
  /** Reads files of this machine, and contacts no server. */
  resolver: Resolver
  /** The running document's file. */
  document: string | undefined
  /** Finds a module's file without executing it. */
  moduleProblem: (declaration: Extract<ToolDeclaration, { kind: 'module' }>) => ReturnType<ToolModules['findProblem']>
  allowPrivateAddresses: boolean | readonly string[]
  hasFolder: boolean
  /** Variables that the user has allowed by name. Undefined if the document gets no tokens at all. */
  allowEnv: readonly string[] | undefined
  agentObjection: (file: string, source: string) => Promise<string | undefined>
}

/** Finds what is wrong on any machine. Starts and asks nothing. `check` reports it, and a run refuses it. */
export async function declarationProblem(
  declaration: ToolDeclaration,
  context: DeclarationContext,
): Promise<ToolProblem | undefined> {
  const folderless = context.hasFolder ? undefined : folderProblem(declaration, context.codeTools)
  if (folderless !== undefined) return folderless
  if (declaration.kind === 'mcp') return serverProblem(declaration, context)
  const wrongName = nameProblem(declaration, context)
  if (wrongName !== undefined) return wrongName
  switch (declaration.kind) {
    case 'builtin':
      return undefined
    case 'shell':
      return catchProblem(declaration, "Correct the tool's declaration.", () => {
        checkToolName(declaration.name)
        splitCommand(declaration.command)
      })
    case 'skills':
      return catchProblem(declaration, 'Give the tool another name.', () => checkToolName(declaration.name))
    case 'agent':
      return (
        catchProblem(declaration, 'Give the tool another name.', () => checkToolName(declaration.name)) ??
        agentProblem(declaration, context)
      )
    case 'module': {
      const problem = await context.moduleProblem(declaration)
      return problem && { declaration, ...problem }
    }
  }
}

function folderProblem(declaration: ToolDeclaration, codeTools: readonly Tool[]): ToolProblem | undefined {
  const name = declaration.kind === 'mcp' ? declaration.server : declaration.name
  const needsFolder =
    declaration.kind === 'builtin'
      ? fileToolNames.has(name) && !codeTools.some(tool => tool.name === name)
      : declaration.kind === 'mcp'
        ? name.startsWith('stdio:')
        : declaration.kind !== 'agent'
  if (!needsFolder) return undefined
  const message = `The tool \`${name.slice(0, 100)}\` needs a folder for files or programs, but this process has none.`
  const cure = 'Start it with `--root DIR`, or remove the tool.'
  return { declaration, code: 'TOOL_NO_FOLDER', message, cure, canBeLeftOut: false }
}

/** What can be checked about a server without connecting to it. */
function serverProblem(
  declaration: Extract<ToolDeclaration, { kind: 'mcp' }>,
  { allowPrivateAddresses, allowEnv }: Pick<DeclarationContext, 'allowPrivateAddresses' | 'allowEnv'>,
): ToolProblem | undefined {
  const { server, tokenEnv } = declaration
  const cure = 'Fix the problem in the message.'
  const bad = catchProblem(declaration, cure, () => {
    if (checkServerName(server) === 'stdio') splitCommand(server.slice('stdio:'.length).trim())
  })
  if (bad !== undefined) return bad
  const refused = tokenEnv === undefined || allowEnv === undefined ? undefined : refuseTokenName(tokenEnv, allowEnv)
  if (refused !== undefined) {
    return { declaration, ...refused, cure: `Then ${quoted(server)} can be used.`, canBeLeftOut: true }
  }
  if (server.startsWith('stdio:')) return undefined
  try {
    checkHost(parseWebAddress(server), new AddressPolicy(allowPrivateAddresses))
    return undefined
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    const { code, message, cure: how = cure } = error.problem
    return { declaration, code, message, cure: how, canBeLeftOut: true }
  }
}

async function agentProblem(
  declaration: Extract<ToolDeclaration, { kind: 'agent' }>,
  { resolver, document, agentObjection }: DeclarationContext,
): Promise<ToolProblem | undefined> {
  const { agent: src, local, file } = declaration
  const resolved = await resolver.resolve({ kind: 'agent', src, local, html: 'keep', from: file ?? document, document })
  const problem = (code: ToolProblem['code'], message: string, cure: string): ToolProblem => ({
    declaration,
    code,
    message,
    cure,
    canBeLeftOut: false,
  })
  if (!resolved.ok) {
    const { code, message, cure = 'Correct the `agent` attribute.' } = resolved.problem
    return problem(code, message, cure)
  }
  if (!local || !('text' in resolved)) return undefined
  const objection = await agentObjection(resolved.file, resolved.text)
  if (objection === undefined) return undefined
  const message = `The agent ${quoted(src)} couldn't answer: ${objection}`
  return problem('CHATMD_AGENT_FAILED', message, `\`argot check ${src}\` shows it.`)
}

function nameProblem(
  declaration: Exclude<ToolDeclaration, { kind: 'mcp' }>,
  { codeTools, hasUnloadedModules }: Pick<DeclarationContext, 'codeTools' | 'hasUnloadedModules'>,
): ToolProblem | undefined {
  const { kind, name } = declaration
  const isBuiltin = builtinNames.includes(name)
  const isKnown = isBuiltin || codeTools.some(one => one.name === name)
  if (kind === 'builtin') return isKnown || hasUnloadedModules ? undefined : unknownName(declaration, name, codeTools)
  if (!isKnown) return undefined
  // What a user allows or denies for a built-in tool, or for one of the program, must not apply to another of the same
  // name.
  const whose = isBuiltin ? 'a built-in tool' : 'a tool of the program running it'
  const message = `The document uses the name \`${name}\` for its own tool, but that name belongs to ${whose}.`
  const cure = `Give it another name, or declare the existing tool with \`<tool name="${name}"/>\`.`
  return { declaration, code: 'TOOL_NAME_TAKEN', message, cure, canBeLeftOut: false }
}

/** Tools of the language's first implementation that Argot doesn't have, and what to use instead. */
const otherTools: ReadonlyMap<string, string> = new Map(
  [
    ...['odoc_search', 'query_vector_db'].map(name => [name, 'searches'] as const),
    ...['index_ocaml_code', 'index_markdown_docs'].map(name => [name, 'makes'] as const),
  ].map(
    ([name, does]) =>
      [
        name,
        `It ${does} an index from the language's first implementation. Use \`markdown_search\`, \`grep\`, a command, or an MCP server that searches.`,
      ] as const,
  ),
)

function unknownName(
  declaration: ToolDeclaration,
  name: string,
  codeTools: DeclarationContext['codeTools'],
): ToolProblem {
  const names = [...builtinNames, ...codeTools.map(one => one.name)]
  const instead = otherTools.get(name)
  if (instead !== undefined) {
    const message = `The document declares the tool \`${name}\`, which Argot does not have.`
    return { declaration, code: 'TOOL_UNKNOWN', message, cure: instead, canBeLeftOut: false }
  }
  const [nearest] = nearestNames(name, names, 1)
  const hint = nearest === undefined ? `The known tools are ${names.join(', ')}.` : `Did you mean \`${nearest}\`?`
  const message = `The document declares the tool \`${name.slice(0, 100)}\`, but no such tool exists.`
  const cure = `${hint} Declare a command with \`command\`, or a sub-agent with \`agent\`.`
  return { declaration, code: 'TOOL_UNKNOWN', message, cure, canBeLeftOut: false }
}

function catchProblem(declaration: ToolDeclaration, cure: string, check: () => void): ToolProblem | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (!(error instanceof ArgotError)) throw error
    return { declaration, code: error.code, message: error.message, cure, canBeLeftOut: declaration.kind === 'mcp' }
  }
}
