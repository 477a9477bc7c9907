// A server that speaks the wire of OpenAI's chat completions, streamed: it asks for one tool call, and then says what came
// of it. Prints its address, and each request that it got as a line of JSON.
import { createServer } from 'node:http'

const pause = () => new Promise(resolve => setTimeout(resolve, 5))

function replyTo({ messages, tools = [] }) {
  const last = messages.at(-1)
  if (last.role === 'tool') return { text: `The tool said: ${String(last.content).slice(0, 200)}` }
  const has = tools.some(({ function: { name } }) => name === 'find_and_replace')
  const input = { path: 'notes/todo.md', search: '- [ ] Connect a real model', replace: '- [x] Connect a real model' }
  return has ? { text: 'I tick that off.', call: { name: 'find_and_replace', input } } : { text: 'I have no tools.' }
}

function* chunksOf({ text, call }) {
  for (const word of text.split(/(?<= )/)) yield { delta: { role: 'assistant', content: word } }
  if (call !== undefined) {
    const start = { index: 0, id: 'call_1', type: 'function', function: { name: call.name, arguments: '' } }
    yield { delta: { tool_calls: [start] } }
    for (const piece of JSON.stringify(call.input).match(/.{1,7}/gs)) {
      yield { delta: { tool_calls: [{ index: 0, function: { arguments: piece } }] } }
    }
  }
  yield { delta: {}, finish_reason: call === undefined ? 'stop' : 'tool_calls' }
}

const server = createServer(async (request, response) => {
  let body = ''
  for await (const piece of request) body += piece
  if (request.url !== '/v1/chat/completions') return response.writeHead(404).end()
  const asked = JSON.parse(body)
  process.stdout.write(
    `${JSON.stringify({ model: asked.model, stream: asked.stream, roles: asked.messages.map(({ role }) => role) })}\n`,
  )
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const head = { id: 'chat-1', object: 'chat.completion.chunk', created: 1_700_000_000, model: asked.model }
  for (const choice of chunksOf(replyTo(asked))) {
    response.write(`data: ${JSON.stringify({ ...head, choices: [{ index: 0, finish_reason: null, ...choice }] })}\n\n`)
    await pause()
  }
  const usage = { prompt_tokens: 40, completion_tokens: 12, total_tokens: 52 }
  response.end(`data: ${JSON.stringify({ ...head, choices: [], usage })}\n\ndata: [DONE]\n\n`)
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}/v1\n`))
process.on('disconnect', () => process.exit())
