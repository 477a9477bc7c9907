// A real MCP server, on the official package, that misbehaves on purpose. `node odd-server.mjs` speaks over stdio,
// `node odd-server.mjs http` over HTTP and prints its port. What it does is said by the first word after that.
import { createServer } from 'node:http'
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node'
import { Server } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'

const words = process.argv.slice(2)
const isHttp = words[0] === 'http'
const mood = words[isHttp ? 1 : 0] ?? 'good'
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

if (mood === 'dies-at-once') {
  console.error('looking for a licence …\rno licence found')
  process.exit(3)
}
if (mood === 'silent') {
  process.stdin.resume()
  // It says nothing when its input ends either.
  setInterval(() => {}, 1000)
  await new Promise(() => {})
}
if (mood === 'floods-stderr') {
  const line = `${'noise '.repeat(2000)}\n`
  for (let index = 0; index < 500; index++) process.stderr.write(line)
}
if (mood === 'chatty') process.stdout.write('Server is starting…\nnot json at all\n')
if (mood === 'endless-line') {
  process.stdin.once('data', () => {
    const piece = 'x'.repeat(1 << 20)
    for (let index = 0; index < 40; index++) process.stdout.write(piece)
  })
  await new Promise(() => {})
}

const object = (properties, required = []) => ({ type: 'object', properties, required })
const text = value => ({ content: [{ type: 'text', text: value }] })
let grown = false
let finishSlow = () => {}

const tools = {
  echo: {
    description: 'Says it again.',
    inputSchema: object({ text: { type: 'string' } }, ['text']),
    run: ({ text: said }) => {
      finishSlow()
      return text(said)
    },
  },
  fails: {
    description: 'Always fails.',
    inputSchema: object({}),
    run: () => ({ ...text('the disk is full'), isError: true }),
  },
  throws: {
    description: 'Throws.',
    inputSchema: object({}),
    run: () => {
      throw new Error('inside the server')
    },
  },
  picture: {
    description: 'Gives a picture.',
    inputSchema: object({}),
    run: () => ({
      content: [
        { type: 'text', text: 'A pixel:' },
        { type: 'image', data: PIXEL, mimeType: 'image/png' },
      ],
    }),
  },
  structured: {
    description: 'Gives a structure.',
    inputSchema: object({}),
    outputSchema: object({ degrees: { type: 'number' } }, ['degrees']),
    run: () => ({ ...text('{"degrees":21}'), structuredContent: { degrees: 21 } }),
  },
  lies: {
    description: 'Breaks its own output schema.',
    inputSchema: object({}),
    outputSchema: object({ degrees: { type: 'number' } }, ['degrees']),
    run: () => ({ ...text('warm'), structuredContent: { degrees: 'warm' } }),
  },
  linked: {
    description: 'Gives links and resources.',
    inputSchema: object({}),
    run: () => ({
      content: [
        { type: 'resource_link', uri: 'file:///a.txt', name: 'a.txt' },
        { type: 'resource', resource: { uri: 'file:///b.txt', text: 'the text of b' } },
      ],
    }),
  },
  nothing: { description: 'Gives nothing.', inputSchema: object({}), run: () => ({ content: [] }) },
  dies: { description: 'Ends the server.', inputSchema: object({}), run: () => process.exit(7) },
  never: {
    description: 'Never answers, and notes that it was told to stop.',
    inputSchema: object({}),
    run: async (_, { mcpReq }) => {
      await new Promise(resolve => mcpReq.signal.addEventListener('abort', resolve))
      cancelled++
      return text('too late')
    },
  },
  cancelled: {
    description: 'How many calls were cancelled.',
    inputSchema: object({}),
    run: () => text(String(cancelled)),
  },
  slow: {
    description: 'Reports progress, and ends with the next echo.',
    inputSchema: object({ steps: { type: 'integer' } }),
    run: async ({ steps = 3 }, { mcpReq }) => {
      const over = new Promise(resolve => {
        finishSlow = () => resolve(text('done'))
      })
      const progressToken = mcpReq._meta?.progressToken
      for (let progress = 1; progress <= steps; progress++) {
        if (progressToken !== undefined) {
          await mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken, progress, total: steps, message: `step ${progress}` },
          })
        }
      }
      return over
    },
  },
  grow: {
    description: 'Adds the tool `grown`.',
    inputSchema: object({}),
    run: async (_, { mcpReq }) => {
      grown = true
      await mcpReq.notify({ method: 'notifications/tools/list_changed' })
      return text('grown')
    },
  },
  environment: {
    description: 'The names of its environment.',
    inputSchema: object({}),
    run: () => text(Object.keys(process.env).sort().join(' ')),
  },
  reach: {
    description: 'Whether an address answers.',
    inputSchema: object({ url: { type: 'string' } }),
    run: ({ url }) =>
      fetch(url).then(
        () => text('reached'),
        () => text('out of reach'),
      ),
  },
  headers: {
    description: 'The token that it was sent.',
    inputSchema: object({}),
    run: () => text(String(authorization)),
  },
  read_file: { description: 'Not the built-in one.', inputSchema: object({}), run: () => text('from the server') },
  'odd/name ünïcode': { description: 'Has an odd name.', inputSchema: object({}), run: () => text('odd') },
  constructor: { description: 'Called like a property.', inputSchema: object({}), run: () => text('constructed') },
}
let cancelled = 0
let authorization

const PAGE = 5

function createOddServer() {
  const server = new Server({ name: 'odd', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } })
  server.setRequestHandler('tools/list', ({ params }) => {
    if (mood === 'endless-list') return { tools: [], nextCursor: `${Number(params?.cursor ?? 0) + 1}` }
    const names = [...Object.keys(tools), ...(grown ? ['grown'] : [])]
    if (mood === 'crowded') for (let index = 0; index < 2000; index++) names.push(`extra_${index}`)
    const from = Number(params?.cursor ?? 0)
    const size = mood === 'crowded' ? 500 : PAGE
    const page = names.slice(from, from + size).map(name => {
      const { run, ...tool } = Object.hasOwn(tools, name)
        ? tools[name]
        : { description: 'New.', inputSchema: object({}) }
      return { name, ...tool }
    })
    return { tools: page, ...(from + size < names.length && { nextCursor: String(from + size) }) }
  })
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    if (params.name === 'grown') return text('the new one')
    if (!Object.hasOwn(tools, params.name)) throw new Error(`no tool ${params.name}`)
    return tools[params.name].run(params.arguments ?? {}, context)
  })
  return server
}

if (isHttp) {
  const sessions = new Map()
  const http = createServer(async (request, response) => {
    authorization = request.headers.authorization
    if (mood === 'redirects') {
      response.writeHead(307, { location: 'http://127.0.0.1:1/elsewhere' }).end()
      return
    }
    if (mood === 'locked' && authorization !== 'Bearer let-me-in') {
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end('who are you?')
      return
    }
    const id = request.headers['mcp-session-id']
    let transport = sessions.get(id)
    if (transport === undefined) {
      transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: session => sessions.set(session, transport),
      })
      await createOddServer().connect(transport)
    }
    await transport.handleRequest(request, response)
  })
  http.listen(Number(words[2] ?? 0), '127.0.0.1', () => console.log(http.address().port))
} else {
  await createOddServer().connect(new StdioServerTransport())
}
