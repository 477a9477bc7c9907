import { expand, parseChatMd, type Resolver } from '@argot/core/chatmd'
import type { ToolEffect } from '@argot/core/stream'
import { ToolFailure } from '../../words/tool-failure.ts'
import { checkInput } from '../schema/check-input.ts'
import type { OuterRun, Tool } from '../tool.ts'
import { fixedTools } from '../tool-source.ts'
import { type AgentInput, agentInput } from './agent-input.ts'
import { type Declaration, type DeclaredSource, getEffect, type SourceContext } from './declared-source.ts'
import type { RunAgentTool } from './run-agent-tool.ts'

/** Agents that run agents stop here. */
export const AGENT_DEPTH = 8

/** `<tool name="triage" agent="triage.chatmd" local/>`: another document, run in a conversation of its own for each call. */
export const agent: DeclaredSource<'agent'> = {
  async open(declaration, context) {
    const { runAgent } = context
    return fixedTools(runAgent === undefined ? [] : [await agentTool(declaration, context, runAgent)])
  },
}

async function agentTool(
  declaration: Declaration<'agent'>,
  context: SourceContext,
  runAgent: RunAgentTool,
): Promise<Tool> {
  const { resolver, document, agents } = context
  const { name, agent: src, local } = declaration
  const from = declaration.file ?? document
  const { effect, input, about } = await lookInto(declaration, context)
  const { description = about ?? `Gives a task to the agent ${src}.` } = declaration
  const { inputSchema } = input
  return {
    name,
    description,
    inputSchema,
    effect,
    timeoutMs: Number.POSITIVE_INFINITY,
    validate: given => checkInput(inputSchema, given),
    async execute(given, { signal, toolCallId, outer, preview }) {
      const { message, params } = input.read(given)
      const resolved = await resolver.resolve({ kind: 'agent', src, local, html: 'keep', from, document, signal })
      if (!resolved.ok) throw new ToolFailure(resolved.problem.code, resolved.problem.message)
      if (!('text' in resolved)) throw new ToolFailure('CHATMD_AGENT_FAILED', `\`${src}\` is not a document.`)
      const { text: source, file } = resolved
      const chain = [...agents, file]
      if (agents.includes(file)) {
        throw new ToolFailure('CHATMD_AGENT_CYCLE', `The agent leads back to itself: ${chain.join(' → ')}.`)
      }
      if (agents.length > AGENT_DEPTH) {
        throw new ToolFailure(
          'CHATMD_AGENT_TOO_DEEP',
          `Agents are nested more than ${AGENT_DEPTH} deep: ${chain.join(' → ')}.`,
        )
      }
      const parts = message === undefined ? [] : [{ type: 'text', text: message } as const]
      const request = { file, source, local, input: parts, agents: chain, signal }
      const visibleRun = outer && { ...outer, chunk: showProgress(outer, preview) }
      const result = await runAgent(request, { name, toolCallId, outer: visibleRun }, params)
      if (!result.ok) throw new ToolFailure(result.problem.code, result.problem.message)
      return { output: result.text }
    },
  }
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
  { agent: src, local, file }: Declaration<'agent'>,
  context: SourceContext,
): Promise<{ effect: ToolEffect; input: AgentInput; about?: string | undefined }> {
  const { resolver, document } = context
  const from = file ?? document
  const resolved = await resolver.resolve({ kind: 'agent', src, local, html: 'keep', from, document })
  const effect = local ? 'exec' : 'net'
  if (!resolved.ok || !('text' in resolved)) return { effect, input: agentInput(undefined, true) }
  const { config, tools, messages, diagnostics } = await expand(
    parseChatMd(resolved.text, { file: resolved.file }).document,
    {
      resolver: importsOnly(resolver),
    },
  )
  const reads = tools.every(
    one => one.kind === 'skills' || (one.kind === 'builtin' && getEffect(one.name, context) === 'read'),
  )
  // What an agent inside it may do is not looked into.
  const runsOthers = messages.some(({ pieces }) => pieces.some(({ origin }) => origin.by === 'agent'))
  const isValid = diagnostics.every(({ severity }) => severity !== 'error')
  const isAsked = messages.findLast(({ sent }) => sent)?.message.role === 'user'
  const input = agentInput(isValid ? config?.params : undefined, !isAsked)
  return { effect: local && isValid && reads && !runsOthers ? 'read' : effect, input, about: config?.description }
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
