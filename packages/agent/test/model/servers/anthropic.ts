import {
  cutIntoPieces,
  type ModelServer,
  printInput,
  type ScriptedReply,
  sse,
  startModelServer,
} from './model-server.ts'

/** A server that speaks Anthropic's Messages API. */
export function startAnthropic(script: readonly ScriptedReply[]): Promise<ModelServer> {
  return startModelServer(script, {
    events,
    failure: sse({ type: 'error', error: { type: 'overloaded_error', message: 'The engine stopped.' } }, 'error'),
    env: url => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-ant-test-0123456789abcdef' }),
  })
}

function events(reply: ScriptedReply, number: number): string[] {
  const lines: string[] = []
  const push = (type: string, fields: object = {}) => lines.push(sse({ type, ...fields }, type))
  let index = 0
  const block = (content_block: object, deltas: readonly object[]) => {
    push('content_block_start', { index, content_block })
    for (const delta of deltas) push('content_block_delta', { index, delta })
    push('content_block_stop', { index: index++ })
  }
  const { input = 0, output = 0, reasoning = 0, cached = 0 } = reply.usage ?? {}
  push('message_start', {
    message: {
      id: `msg_${number}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-test',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: input, output_tokens: 1, cache_read_input_tokens: cached, cache_creation_input_tokens: 0 },
    },
  })
  push('ping')
  if (reply.reasoning) {
    const { text, signature } = reply.reasoning
    block({ type: 'thinking', thinking: '', signature: '' }, [
      ...cutIntoPieces(text).map(thinking => ({ type: 'thinking_delta', thinking })),
      ...(signature === undefined ? [] : [{ type: 'signature_delta', signature }]),
    ])
  }
  if (reply.text !== undefined) {
    block(
      { type: 'text', text: '' },
      cutIntoPieces(reply.text).map(text => ({ type: 'text_delta', text })),
    )
  }
  for (const [at, call] of (reply.calls ?? []).entries()) {
    block(
      { type: 'tool_use', id: call.id ?? `toolu_${number}_${at}`, name: call.name, input: {} },
      cutIntoPieces(printInput(call.input)).map(partial_json => ({ type: 'input_json_delta', partial_json })),
    )
  }
  const finish = reply.finish ?? (reply.calls?.length ? 'tool-calls' : 'stop')
  push('message_delta', {
    delta: {
      stop_reason: { stop: 'end_turn', length: 'max_tokens', 'tool-calls': 'tool_use' }[finish],
      stop_sequence: null,
    },
    usage: { output_tokens: output, ...(reasoning ? { output_tokens_details: { thinking_tokens: reasoning } } : {}) },
  })
  push('message_stop')
  return lines
}
