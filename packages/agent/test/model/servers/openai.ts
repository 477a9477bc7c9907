import {
  cutIntoPieces,
  type ModelServer,
  printInput,
  type ScriptedReply,
  sse,
  startModelServer,
} from './model-server.ts'

/** A server that speaks OpenAI's Responses API. */
export function startOpenAi(script: readonly ScriptedReply[]): Promise<ModelServer> {
  return startModelServer(script, {
    events,
    failure: sse(
      { type: 'error', sequence_number: 99, code: 'server_error', message: 'The engine stopped.', param: null },
      'error',
    ),
    env: url => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'sk-test-0123456789abcdef' }),
  })
}

function events(reply: ScriptedReply, number: number): string[] {
  const lines: string[] = []
  const push = (type: string, fields: object) => {
    lines.push(sse({ type, sequence_number: lines.length, ...fields }, type))
  }
  const response = { id: `resp_${number}`, object: 'response', created_at: 1_700_000_000, model: 'gpt-test' }
  push('response.created', { response: { ...response, status: 'in_progress' } })
  let index = 0
  if (reply.reasoning) {
    const item = { type: 'reasoning', id: `rs_${number}`, summary: [] }
    const place = { item_id: item.id, output_index: index, summary_index: 0 }
    const encrypted = reply.reasoning.signature ?? null
    push('response.output_item.added', {
      output_index: index,
      item: { ...item, encrypted_content: encrypted && 'half' },
    })
    push('response.reasoning_summary_part.added', { ...place, part: { type: 'summary_text', text: '' } })
    for (const delta of cutIntoPieces(reply.reasoning.text)) {
      push('response.reasoning_summary_text.delta', { ...place, delta })
    }
    push('response.reasoning_summary_part.done', {
      ...place,
      part: { type: 'summary_text', text: reply.reasoning.text },
    })
    push('response.output_item.done', { output_index: index++, item: { ...item, encrypted_content: encrypted } })
  }
  if (reply.text !== undefined) {
    const item = { type: 'message', id: `msg_${number}`, role: 'assistant', status: 'in_progress', content: [] }
    const place = { item_id: item.id, output_index: index, content_index: 0 }
    push('response.output_item.added', { output_index: index, item })
    push('response.content_part.added', { ...place, part: { type: 'output_text', text: '', annotations: [] } })
    for (const delta of cutIntoPieces(reply.text)) push('response.output_text.delta', { ...place, delta })
    push('response.output_text.done', { ...place, text: reply.text })
    push('response.output_item.done', { output_index: index++, item: { ...item, status: 'completed' } })
  }
  for (const [at, call] of (reply.calls ?? []).entries()) {
    const text = printInput(call.input)
    const item = {
      type: 'function_call',
      id: `fc_${number}_${at}`,
      call_id: call.id ?? `call_${number}_${at}`,
      name: call.name,
    }
    push('response.output_item.added', { output_index: index, item: { ...item, arguments: '', status: 'in_progress' } })
    for (const delta of cutIntoPieces(text)) {
      push('response.function_call_arguments.delta', { item_id: item.id, output_index: index, delta })
    }
    push('response.function_call_arguments.done', { item_id: item.id, output_index: index, arguments: text })
    push('response.output_item.done', {
      output_index: index++,
      item: { ...item, arguments: text, status: 'completed' },
    })
  }
  const { input = 0, output = 0, reasoning = 0, cached = 0 } = reply.usage ?? {}
  const isCut = reply.finish === 'length'
  push(isCut ? 'response.incomplete' : 'response.completed', {
    response: {
      ...response,
      status: isCut ? 'incomplete' : 'completed',
      incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
      usage: {
        input_tokens: input,
        input_tokens_details: { cached_tokens: cached },
        output_tokens: output,
        output_tokens_details: { reasoning_tokens: reasoning },
        total_tokens: input + output,
      },
    },
  })
  return lines
}
