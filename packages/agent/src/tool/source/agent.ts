import { expand, parseChatMd, type Resolver } from '@argot/core/chatmd'
import type { ToolEffect } from '@argot/core/stream'
import { ToolFailure } from '../../words/tool-failure.ts'
import { checkInput } from '../schema/check-input.ts'
import type { OuterRun, Tool } from '../tool.ts'
import { fixedTools } from '../tool-source.ts'
import { type AgentInput, agentInput } from './agent-input.ts'
import { type Declaration, type DeclaredSource, getEffect, type SourceContext } from './declared-source.ts'
import type { RunAgentTool } from './run-agent-tool.ts'

export const AGENT_DEPTH = 8

/** `<tool name="triage" agent="triage.chatmd" local/>`: another document, run in its own conversation for each call. */
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
  const { effect, input, about } = await inspectAgent(declaration, context)
  const { description = about ?? `Gives a task to the agent ${src}.` } = declaration
  const { inputSchema } = input
  return {
    name,
    description,
    inputSchema,
    effect,
    timeoutMs: Number.POSITIVE_INFINITY,
    validate: value => checkInput(inputSchema, value),
    async execute(value, { signal, toolCallId, outer, preview }) {
      const { message, params } = input.read(value)
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

/** The least time between two previews for clients that can't see into the run. */
const PREVIEW_MS = 1000

/** Also forwards the chunks. */
function showProgress(outer: OuterRun, preview: (output: unknown) => void): OuterRun['chunk'] {
  let lastPreview = Number.NEGATIVE_INFINITY
  let calls = 0
  return chunk => {
    outer.chunk(chunk)
    if (chunk.type !== 'tool-input-available') return
    calls++
    const now = performance.now()
    if (now - lastPreview < PREVIEW_MS) return
    lastPreview = now
    preview(`${calls === 1 ? 'Call 1' : `Call ${calls}`}: ${chunk.toolName.slice(0, 128)}`)
  }
}

/**
 * Finds an agent's effect, which is that of its document's tools, and its input. An agent that certainly only reads
 * starts early and is run again after a crash. Any other may have done anything before the crash.
 */
async function inspectAgent(
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
  // The effect of agents nested in it is not examined.
  const runsOthers = messages.some(({ pieces }) => pieces.some(({ origin }) => origin.by === 'agent'))
  const isValid = diagnostics.every(({ severity }) => severity !== 'error')
  const endsWithUser = messages.findLast(({ sent }) => sent)?.message.role === 'user'
  const input = agentInput(isValid ? config?.params : undefined, !endsWithUser)
  return { effect: local && isValid && reads && !runsOthers ? 'read' : effect, input, about: config?.description }
}

/** Imports bring tools and agents. Everything else is only text, so it is treated as existing and empty. */
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
