import {
  cutIntoPieces,
  type ModelServer,
  printInput,
  type ScriptedReply,
  type ServerScript,
  sse,
  startModelServer,
} from './model-server.ts'

/** A server that speaks the Chat Completions API, as vLLM, llama.cpp, LM Studio and Ollama do. */
export function startCompatible(script: ServerScript): Promise<ModelServer> {
  return startModelServer(script, {
    events,
    failure: sse({ error: { message: 'The engine stopped.', type: 'server_error', code: 500 } }),
    env: url => ({ ARGOT_BASE_URL: `${url}/v1`, ARGOT_API_KEY: 'local-secret-word', OLLAMA_BASE_URL: url }),
  })
}

function events(reply: ScriptedReply, number: number): string[] {
  const head = { id: `chatcmpl-${number}`, object: 'chat.completion.chunk', created: 1_700_000_000, model: 'test' }
  const chunk = (delta: object, finish_reason: string | null = null) =>
    sse({ ...head, choices: [{ index: 0, delta, finish_reason }] })
  const lines = [chunk({ role: 'assistant', content: '' })]
  for (const piece of cutIntoPieces(reply.reasoning?.text ?? '')) lines.push(chunk({ reasoning_content: piece }))
  for (const content of cutIntoPieces(reply.text ?? '')) lines.push(chunk({ content }))
  const calls = (reply.calls ?? []).map((call, index) => ({
    ...call,
    index,
    pieces: cutIntoPieces(printInput(call.input)),
  }))
  for (const { id, name, index } of calls) {
    const call = { index, id: id ?? `call_${number}_${index}`, type: 'function', function: { name, arguments: '' } }
    lines.push(chunk({ tool_calls: [call] }))
  }
  // The arguments of several calls come in turns, as no promise of the API forbids.
  for (let at = 0; calls.some(call => at < call.pieces.length); at++) {
    for (const { index, pieces } of calls) {
      if (at < pieces.length) lines.push(chunk({ tool_calls: [{ index, function: { arguments: pieces[at] } }] }))
    }
  }
  const finish = reply.finish ?? (calls.length > 0 ? 'tool-calls' : 'stop')
  lines.push(chunk({}, { stop: 'stop', length: 'length', 'tool-calls': 'tool_calls' }[finish]))
  const { input = 0, output = 0, reasoning = 0, cached = 0 } = reply.usage ?? {}
  lines.push(
    sse({
      ...head,
      choices: [],
      usage: {
        prompt_tokens: input,
        completion_tokens: output,
        total_tokens: input + output,
        prompt_tokens_details: { cached_tokens: cached },
        completion_tokens_details: { reasoning_tokens: reasoning },
      },
    }),
    sse('[DONE]'),
  )
  return lines
}
