import { createServer } from 'node:http'

/** A model server as on a reader's machine, that writes its one call as text: gives its port. */
export async function startModelServer() {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    const isSecond = body.includes('<tool_response>') || body.includes('"role":"tool"')
    const text = isSecond
      ? 'It rains.'
      : '<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
    response.setHeader('content-type', 'text/event-stream')
    const send = choice =>
      response.write(`data: ${JSON.stringify({ id: '1', choices: [{ index: 0, ...choice }] })}\n\n`)
    send({ delta: { role: 'assistant', content: text } })
    send({ delta: {}, finish_reason: 'stop' })
    response.end('data: [DONE]\n\n')
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  return server.address().port
}
