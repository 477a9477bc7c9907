import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import {
  Client,
  type ElicitRequest,
  type ElicitResult,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { startCompatible } from '../../../agent/test/model/servers/compatible.ts'
import type { ModelServer, RecordedRequest, ScriptedReply } from '../../../agent/test/model/servers/model-server.ts'
import { commandLine } from '../argot.ts'

const config = (attributes: string): string => `<config model="openai-compatible:test" ${attributes}/>\n`

/** A folder with prompts, a conversation, and things that no client may see. */
const files: Record<string, string> = {
  'docs/tea.chatmd': `${config('params="topic, tone=plain" description="Tells about a topic."')}
<system>
Be {{tone}}.
</system>

<user>
Tell me about {{topic}}.
</user>
`,
  'docs/notes/weather.chatmd': `${config('params="city" output="weather.json"')}\n<user>\nJSON for {{city}}.\n</user>\n`,
  'docs/notes/weather.json': JSON.stringify({
    type: 'object',
    properties: { degrees: { type: 'number' } },
    required: ['degrees'],
  }),
  'docs/write.chatmd': `${config('params="file"')}<tool name="write_file"/>\n\n<user>\nWRITE {{file}}\n</user>\n`,
  'docs/ask.chatmd': `${config('params="file"')}<tool name="ask_user"/>\n\n<user>\nASK {{file}}\n</user>\n`,
  'docs/hang.chatmd': `${config('params="word"')}\n<user>\nHANG {{word}}\n</user>\n`,
  'docs/helper.chatmd': `${config('')}\n<system>\nYou help.\n</system>\n`,
  'docs/done.chatmd': `${config('')}\n<user>\nHi.\n</user>\n\n<assistant>\nHello.\n</assistant>\n`,
  'docs/broken.chatmd': `${config('max_steps="many"')}\n<user>\nHi.\n</user>\n`,
  'docs/.chatmd/hidden.chatmd': 'hidden words',
  'docs/plain.txt': 'plain words',
  'outside.chatmd': 'outside words',
}

/** What the model says, by the last words of the user. */
function reply({ body }: RecordedRequest): ScriptedReply {
  const messages = body.messages as { role: string; content: unknown }[]
  const last = messages.at(-1)!
  if (last.role === 'tool') return { text: `It gave: ${textOf(last.content)}` }
  const words = textOf(messages.findLast(({ role }) => role === 'user')?.content)
  const [, file = ''] = /(?:WRITE|ASK) (\S+)/.exec(words) ?? []
  if (words.includes('WRITE')) {
    return { calls: [{ name: 'write_file', input: { path: file, content: 'written' } }] }
  }
  if (words.includes('ASK')) {
    return { calls: [{ name: 'ask_user', input: { question: `Which ${file}?`, options: ['red', 'blue'] } }] }
  }
  if (words.includes('LOOP')) return { calls: [{ name: 'loop', input: { word: 'again' } }] }
  if (words.includes('HANG')) return { text: 'One two three four five.', cutAfter: 4, cutBy: 'silence' }
  if (words.includes('JSON')) return { text: '{ "degrees": 21 }' }
  return { text: `You said: ${words.trim()}` }
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content)
}

export interface McpPlace {
  folder: string
  docs: string
  model: ModelServer
  env: Record<string, string>
  close(): Promise<void>
}

export async function makeMcpPlace(more: Record<string, string> = {}): Promise<McpPlace> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'argot-mcp-')))
  for (const [name, text] of Object.entries({ ...files, ...more })) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  const docs = join(folder, 'docs')
  await symlink(join(folder, 'outside.chatmd'), join(docs, 'link.chatmd'))
  await symlink(join(docs, '.chatmd/hidden.chatmd'), join(docs, 'inner.chatmd'))
  const model = await startCompatible(reply)
  return {
    folder,
    docs,
    model,
    env: { ...model.env, PATH: process.env.PATH ?? '', XDG_CONFIG_HOME: join(folder, 'config'), HOME: folder },
    async close() {
      await model.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export type Era = 'modern' | 'legacy'
export type Wire = 'stdio' | 'http'

/** Answers a form. */
export type Fill = (params: ElicitRequest['params']) => ElicitResult | Promise<ElicitResult>

export interface Connected {
  client: Client
  /** Every form that was shown. */
  forms: ElicitRequest['params'][]
  close(): Promise<void>
}

export interface ConnectOptions {
  era: Era
  wire: Wire
  /** Without it the client shows no forms. */
  fill?: Fill | undefined
  /** Called when the server says that its tools are others now. */
  onChanged?: (tools: unknown) => void
  flags?: readonly string[]
}

/** The real command in a process of its own, and the SDK's client. */
export async function connect(
  place: McpPlace,
  { era, wire, fill, onChanged, flags = [] }: ConnectOptions,
): Promise<Connected> {
  const forms: ElicitRequest['params'][] = []
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      capabilities: fill === undefined ? {} : { elicitation: {} },
      ...(onChanged && { listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } } }),
      versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' },
    },
  )
  if (fill !== undefined) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      forms.push(params)
      return fill(params)
    })
  }
  if (wire === 'stdio') {
    const [command, ...args] = commandLine(['mcp', 'serve', place.docs, ...flags])
    await client.connect(new StdioClientTransport({ command, args, env: place.env, cwd: place.docs, stderr: 'ignore' }))
    return { client, forms, close: () => client.close() }
  }
  const server = await serveHttp(place, flags)
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)))
  return {
    client,
    forms,
    async close() {
      await client.close()
      await server.close()
    },
  }
}

export interface HttpServer {
  url: string
  token: string | undefined
  child: ChildProcess
  output(): string
  close(): Promise<void>
}

export async function serveHttp(place: McpPlace, flags: readonly string[] = []): Promise<HttpServer> {
  const [command, ...args] = commandLine(['mcp', 'serve', place.docs, '--http', '--port', '0', '--json', ...flags])
  const child = spawn(command, args, { cwd: place.docs, env: place.env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let errors = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const exited = new Promise<void>(resolve => child.on('exit', () => resolve()))
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (output.includes('\n')) resolve(output.split('\n')[0]!)
    })
    child.on('exit', () => reject(new Error(errors)))
  })
  const { url, token } = JSON.parse(line) as { url: string; token?: string }
  return {
    url,
    token,
    child,
    output: () => output + errors,
    async close() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

export function textIn(result: { content?: unknown }): string {
  const content = (result.content ?? []) as { type: string; text?: string }[]
  return content.map(({ text = '' }) => text).join('\n')
}
