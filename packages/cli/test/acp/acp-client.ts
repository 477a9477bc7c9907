import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import {
  type ClientCapabilities,
  type ClientConnection,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  type InitializeResponse,
  methods,
  ndJsonStream,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
  type SessionUpdate,
} from '@agentclientprotocol/sdk/unstable'
import { onTestFinished } from 'vitest'
import { startCompatible } from '../../../agent/test/model/servers/compatible.ts'
import type {
  ModelServer,
  RecordedRequest,
  ScriptedReply,
  ServerScript,
} from '../../../agent/test/model/servers/model-server.ts'
import { commandLine } from '../argot.ts'

export interface Place {
  folder: string
  docs: string
  model: ModelServer
  env: Record<string, string>
}

/** A folder with files, a config folder of its own, and a model server that says these replies. */
export async function place(files: Record<string, string>, script: ServerScript): Promise<Place> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'argot-acp-')))
  const docs = join(folder, 'docs')
  await mkdir(docs)
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(docs, name)), { recursive: true })
    await writeFile(join(docs, name), text)
  }
  const model = await startCompatible(script)
  onTestFinished(async () => {
    await model.close()
    await rm(folder, { recursive: true, force: true })
  })
  return { folder, docs, model, env: { ...model.env, XDG_CONFIG_HOME: join(folder, 'config'), HOME: folder } }
}

/** A script that is the same for every conversation: the N-th reply after the last message of the user. */
export function perTurn(...replies: readonly ScriptedReply[]): ServerScript {
  return ({ body }: RecordedRequest) => {
    const messages = body.messages as { role: string }[]
    const step = messages.length - 1 - messages.findLastIndex(({ role }) => role === 'user')
    const turns = messages.slice(messages.length - step).filter(({ role }) => role === 'assistant').length
    return replies[turns] ?? { text: 'The script is over.' }
  }
}

export interface Editor {
  child: ChildProcessWithoutNullStreams
  agent: ClientConnection['agent']
  connection: ClientConnection
  about: InitializeResponse
  updates: SessionNotification[]
  permissions: RequestPermissionRequest[]
  forms: CreateElicitationRequest[]
  stderr: () => string
}

export interface EditorOptions {
  args?: readonly string[]
  capabilities?: ClientCapabilities
  permit?: (request: RequestPermissionRequest) => RequestPermissionResponse | Promise<RequestPermissionResponse>
  fill?: (request: CreateElicitationRequest) => CreateElicitationResponse
  /** The client's own files: unsaved texts, and what it was asked to write. */
  files?: Map<string, string>
  asked?: string[]
  /** Called for each update, as it comes. */
  onUpdate?: (update: SessionUpdate, editor: Editor) => void
}

export function choose(optionId: string, meta?: Record<string, unknown>): RequestPermissionResponse {
  return { outcome: { outcome: 'selected', optionId }, ...(meta !== undefined && { _meta: meta }) }
}

/** The SDK's own client, connected to the real command in a process of its own. */
export async function openEditor({ docs, env }: Place, options: EditorOptions = {}): Promise<Editor> {
  const {
    args = ['--model', 'openai-compatible:test'],
    capabilities = {},
    permit,
    fill,
    onUpdate,
    files = new Map(),
    asked = [],
  } = options
  const [node, ...rest] = commandLine(['acp', ...args])
  const child = spawn(node, rest, { cwd: docs, env: { PATH: process.env.PATH ?? '', ...env } })
  onTestFinished(() => void child.kill('SIGKILL'))
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const editor = {
    child,
    updates: [],
    permissions: [],
    forms: [],
    stderr: () => stderr,
  } as unknown as Editor
  const app = client({ name: 'test' })
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      editor.permissions.push(params)
      return permit === undefined ? choose('allow') : permit(params)
    })
    .onRequest(methods.client.elicitation.create, ({ params }) => {
      editor.forms.push(params)
      return fill === undefined ? { action: 'cancel' } : fill(params)
    })
    .onRequest(methods.client.fs.readTextFile, ({ params }) => {
      asked.push(`read ${params.path}`)
      const content = files.get(params.path)
      if (content === undefined) throw new Error('It is not open.')
      return { content }
    })
    .onRequest(methods.client.fs.writeTextFile, ({ params }) => {
      asked.push(`write ${params.path}`)
      files.set(params.path, params.content)
      return {}
    })
    .onRequest(methods.client.terminal.create, ({ params }) => {
      asked.push(`run ${[params.command, ...(params.args ?? [])].join(' ')}`)
      return { terminalId: 't1' }
    })
    .onRequest(methods.client.terminal.output, () => ({ output: 'from the terminal\n', truncated: false }))
    .onRequest(methods.client.terminal.waitForExit, () => ({ exitCode: 0 }))
    .onRequest(methods.client.terminal.kill, () => ({}))
    .onRequest(methods.client.terminal.release, () => {
      asked.push('release')
      return {}
    })
    .onNotification(methods.client.session.update, ({ params }) => {
      editor.updates.push(params)
      onUpdate?.(params.update, editor)
    })
  const stream = ndJsonStream(
    Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
  )
  editor.connection = app.connect(stream)
  editor.agent = editor.connection.agent
  editor.about = await editor.agent.request('initialize', {
    protocolVersion: 1,
    clientCapabilities: capabilities,
    clientInfo: { name: 'test', title: 'Ada', version: '1' },
  })
  return editor
}

/** A new session, prompted once. */
export async function ask(
  { agent }: Editor,
  cwd: string,
  text: string,
): Promise<{ sessionId: string; stopReason: string }> {
  const { sessionId } = await agent.request('session/new', { cwd, mcpServers: [] })
  const { stopReason } = await agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })
  return { sessionId, stopReason }
}

/** The updates of a session once the client has taken all that were sent before now. */
export async function screenOf(editor: Editor, sessionId: string): Promise<Screen> {
  for (let before = -1; before !== editor.updates.length; ) {
    before = editor.updates.length
    await editor.agent.request('session/list', {}).catch(() => {})
  }
  return showUpdates(editor.updates, sessionId)
}

export interface ShownCall {
  title?: string | null | undefined
  kind?: string | null | undefined
  status?: string | null | undefined
  content?: unknown
  locations?: unknown
  rawInput?: unknown
  rawOutput?: unknown
}

export interface Screen {
  /** What was said, in order: `user`, `agent` and `thought` texts joined, and calls by id. */
  items: ({ who: 'user' | 'agent' | 'thought'; text: string } | { call: string })[]
  calls: Map<string, ShownCall>
}

/** What a client shows after these updates. Throws for updates in an order that no client can show. */
export function showUpdates(updates: readonly SessionNotification[], sessionId: string): Screen {
  const screen: Screen = { items: [], calls: new Map() }
  for (const { update, sessionId: id } of updates) if (id === sessionId) show(update, screen)
  return screen
}

const order = ['pending', 'in_progress', 'completed', 'failed']

function show(update: SessionUpdate, { items, calls }: Screen): void {
  switch (update.sessionUpdate) {
    case 'user_message_chunk':
    case 'agent_message_chunk':
    case 'agent_thought_chunk': {
      const who = ({ u: 'user', m: 'agent', t: 'thought' } as const)[
        update.sessionUpdate === 'user_message_chunk' ? 'u' : update.sessionUpdate === 'agent_message_chunk' ? 'm' : 't'
      ]
      const text = update.content.type === 'text' ? update.content.text : `[${update.content.type}]`
      const last = items.at(-1)
      if (last !== undefined && 'who' in last && last.who === who) last.text += text
      else items.push({ who, text })
      return
    }
    case 'tool_call': {
      const { toolCallId, sessionUpdate: _, ...fields } = update
      if (calls.has(toolCallId)) throw new Error(`${toolCallId} is announced twice`)
      calls.set(toolCallId, fields)
      items.push({ call: toolCallId })
      return
    }
    case 'tool_call_update': {
      const { toolCallId, sessionUpdate: _, ...fields } = update
      const call = calls.get(toolCallId)
      if (call === undefined) throw new Error(`${toolCallId} is updated before it is announced`)
      if (call.status === 'completed' || call.status === 'failed')
        throw new Error(`${toolCallId} is updated after its end`)
      if (fields.status !== undefined && order.indexOf(fields.status!) < order.indexOf(call.status!))
        throw new Error(`${toolCallId} goes back from ${call.status} to ${fields.status}`)
      Object.assign(call, fields)
      return
    }
    default:
  }
}
