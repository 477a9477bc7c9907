import { defined, type ToolEffect } from 'argot'
import {
  type AgentRequest,
  type AgentResult,
  type ChatDocument,
  expand,
  parseChatMd,
  type Resolver,
  type RunAgent,
  type ToolDeclaration,
} from 'argot/chatmd'
import { checkInput } from '../tool/check-input.ts'
import type { OuterRun, Tool } from '../tool/tool.ts'
import { ToolFailure } from '../words/tool-failure.ts'
import { type AgentInput, agentInput } from './agent-schema.ts'
import type { RunResult } from './run-options.ts'

/** Agents that run agents stop here. */
const DEPTH = 8

/** A document that another one runs: in memory, with a message of its own. */
export interface SubRun {
  document: ChatDocument
  input: AgentRequest['input']
  /** The values of its parameters. */
  params?: Readonly<Record<string, string>> | undefined
  /** The documents that are running, outermost first, this one last. */
  agents: readonly string[]
  /** A document from the web declares no tools of this machine. */
  local: boolean
  /** What the agent is called, and the call that it answers, where it is a tool. */
  call?: { name: string; toolCallId: string; outer: OuterRun | undefined } | undefined
  signal?: AbortSignal
}

/** Runs other documents for a document: in place of `<agent>`, and as tools. */
export interface SubAgents {
  run: RunAgent
  tool(declaration: AgentDeclaration, caller: AgentCaller): Promise<Tool>
}

type AgentDeclaration = Extract<ToolDeclaration, { kind: 'agent' }>

/** The document that declares an agent as a tool. */
export interface AgentCaller {
  resolver: Resolver
  document: string | undefined
  agents: readonly string[]
  /** The effect of a tool that a document can name without saying what it is. */
  effectOf: (toolName: string) => ToolEffect | undefined
}

export function createSubAgents(runInMemory: (run: SubRun) => Promise<RunResult>): SubAgents {
  const run: RunAgent = request => runAgent(request)
  const runAgent = async (
    { file, source, local, input, agents, signal }: AgentRequest,
    call?: SubRun['call'],
    params?: SubRun['params'],
  ): Promise<AgentResult> => {
    const { document, diagnostics } = parseChatMd(source, { file })
    const error = diagnostics.find(({ severity }) => severity === 'error')
    if (error !== undefined) return failed(file, error.message)
    const result = await runInMemory({ document, input, params, agents, local, call, ...defined({ signal }) })
    if (result.status === 'done') return { ok: true, text: result.text }
    return failed(file, result.status === 'failed' ? result.error : `Its run was ${result.status}.`)
  }

  const tool: SubAgents['tool'] = async (declaration, caller) => {
    const { resolver, document, agents } = caller
    const { name, agent, local, description = `Gives a task to the agent ${agent}.` } = declaration
    const from = declaration.file ?? document
    const { effect, input } = await lookInto(declaration, caller)
    const { inputSchema } = input
    return {
      ...{ name, description, inputSchema, effect, timeoutMs: Number.POSITIVE_INFINITY },
      validate: given => checkInput(inputSchema, given),
      async execute(given, { signal, toolCallId, outer, preview }) {
        const { message, params } = input.read(given)
        const found = await resolver.resolve({ kind: 'agent', src: agent, local, html: 'keep', from, document, signal })
        if (!found.ok) throw new ToolFailure(found.problem.code, found.problem.message)
        if (!('text' in found)) throw new ToolFailure('CHATMD_AGENT_FAILED', `\`${agent}\` is not a document.`)
        const { text: source, file } = found
        const chain = [...agents, file]
        if (agents.includes(file)) {
          throw new ToolFailure('CHATMD_AGENT_CYCLE', `The agent leads back to itself: ${chain.join(' → ')}.`)
        }
        if (agents.length > DEPTH) {
          throw new ToolFailure(
            'CHATMD_AGENT_TOO_DEEP',
            `Agents are nested more than ${DEPTH} deep: ${chain.join(' → ')}.`,
          )
        }
        const parts = message === undefined ? [] : [{ type: 'text', text: message } as const]
        const request = { file, source, local, input: parts, agents: chain, signal }
        const shown = outer && { ...outer, chunk: showProgress(outer, preview) }
        const result = await runAgent(request, { name, toolCallId, outer: shown }, params)
        if (!result.ok) throw new ToolFailure(result.problem.code, result.problem.message)
        return { output: result.text }
      },
    }
  }
  return { run, tool }
}

/** At most so often is something shown to those who cannot look into the run. */
const PREVIEW_MS = 1000

/** Hands chunks on, and shows the newest call of the agent as a line now and then. */
function showProgress(outer: OuterRun, preview: (output: unknown) => void): OuterRun['chunk'] {
  let last = Number.NEGATIVE_INFINITY
  let calls = 0
  return chunk => {
    outer.chunk(chunk)
    if (chunk.type !== 'tool-input-available') return
    calls++
    const now = performance.now()
    if (now - last < PREVIEW_MS) return
    last = now
    preview(`${calls === 1 ? 'Call 1' : `Call ${calls}`}: ${chunk.toolName.slice(0, 128)}`)
  }
}

/**
 * What running an agent may do, as much as the tools of its document, and what it takes. One that surely only reads starts
 * early and is run again after a crash; of any other nobody knows what it has done by then.
 */
async function lookInto(
  { agent, local, file }: AgentDeclaration,
  { resolver, document, effectOf }: AgentCaller,
): Promise<{ effect: ToolEffect; input: AgentInput }> {
  const from = file ?? document
  const found = await resolver.resolve({ kind: 'agent', src: agent, local, html: 'keep', from, document })
  const effect = local ? 'exec' : 'net'
  if (!found.ok || !('text' in found)) return { effect, input: agentInput(undefined, true) }
  const { config, tools, messages, diagnostics } = await expand(
    parseChatMd(found.text, { file: found.file }).document,
    {
      resolver: importsOnly(resolver),
    },
  )
  const reads = tools.every(one => one.kind === 'builtin' && effectOf(one.name) === 'read')
  // What an agent inside it may do is not looked into.
  const runsOthers = messages.some(({ pieces }) => pieces.some(({ origin }) => origin.by === 'agent'))
  const isWhole = diagnostics.every(({ severity }) => severity !== 'error')
  const isAsked = messages.findLast(({ sent }) => sent)?.message.role === 'user'
  const input = agentInput(isWhole ? config?.params : undefined, !isAsked)
  return { effect: local && isWhole && reads && !runsOthers ? 'read' : effect, input }
}

/** Imports bring tools and agents; everything else is only text, and counts as there. */
function importsOnly(resolver: Resolver): Resolver {
  return {
    async resolve(request) {
      const { kind, src } = request
      if (kind === 'import') return resolver.resolve(request)
      if (kind === 'img') return { ok: true, url: src, mediaType: 'image/*', file: src }
      return { ok: true, text: '', file: src }
    },
  }
}

function failed(file: string, reason: string): AgentResult {
  return {
    ok: false,
    problem: { code: 'CHATMD_AGENT_FAILED', message: `The agent \`${file}\` gave no answer: ${reason}` },
  }
}
