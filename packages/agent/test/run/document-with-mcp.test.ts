import { dirname, join, resolve } from 'node:path'
import { type RunOptions, runDocument } from '@argot/agent'
import { previewDocument } from '@argot/agent/workshop'
import { toolCalls } from '@argot/core'
import { expect, onTestFinished, test } from 'vitest'
import { call, finish, type ScriptedStep, scriptedModel } from '../scripted-model.ts'
import { startHttpServer, stdioServer } from '../tool/source/odd-servers.ts'
import { serve } from '../web/server.ts'
import { documentFolder, follow, readMessages } from './document-folder.ts'

const step = (name: string, input: object = {}): ScriptedStep => [
  ...call(`c-${name}`, name, input),
  finish('tool-calls'),
]

function declare(server: string, more = ''): string {
  return `<tool mcp_server="${server}" ${more}/>\n\n<user>\nGo.\n</user>\n`
}

async function run(source: string, steps: readonly ScriptedStep[], options: RunOptions = {}) {
  const folder = await documentFolder({ 'chat.chatmd': source })
  const notices: string[] = []
  const model = scriptedModel(steps)
  const shared = { cwd: folder, configFolder: join(folder, 'config'), env: { PATH: process.env.PATH } }
  const settings: RunOptions = { ...shared, model, approve: 'all', notice: text => void notices.push(text), ...options }
  const { result } = await follow(runDocument('chat.chatmd', settings))
  const outputs = toolCalls(result.message ?? { parts: [] }).map(one => one.output ?? one.errorText)
  return { folder, file: join(folder, 'chat.chatmd'), result, notices, outputs, model, settings }
}

test('a document calls the tools of a server that it starts, and its transcript has what they gave', async () => {
  const source = declare(stdioServer(), 'includes="echo, structured"')
  const { outputs, model, file } = await run(source, [step('echo', { text: 'hi' }), step('structured'), 'Done.'], {
    allowExec: true,
    sandbox: 'off',
  })
  expect(outputs).toEqual(['hi', { degrees: 21 }])
  expect(model.asked[0]!.tools!.map(tool => tool.name)).toEqual(['echo', 'structured'])
  const written = (await readMessages(file)).at(-1)!
  expect(toolCalls(written).map(one => one.output)).toEqual(['hi', { degrees: 21 }])
})

test('a server is started only once its exact command line is trusted, and the question says which', async () => {
  const asked: string[] = []
  const trust = async ({ command }: { command: string }): Promise<boolean> => {
    asked.push(command)
    return false
  }
  const { result, notices, model } = await run(declare(stdioServer()), ['Without tools.'], { trust })
  expect(asked).toEqual([stdioServer()])
  expect(result.status).toBe('done')
  expect(model.asked[0]!.tools).toBeUndefined()
  expect(notices).toEqual([expect.stringContaining('the command was not allowed for this document')])
})

test('in a pipe a server that nobody allowed, or that is down, fails the run at its place', async () => {
  const untrusted = await run(declare(stdioServer()), ['Never said.'])
  expect(untrusted.result).toMatchObject({ status: 'failed', code: 'TOOL_NOT_TRUSTED' })
  const down = await run(declare(stdioServer('dies-at-once')), ['Never said.'], { allowExec: true, sandbox: 'off' })
  expect(down.result).toMatchObject({ status: 'failed', code: 'MCP_UNREACHABLE' })
  expect(down.result).toMatchObject({
    diagnostics: [{ range: { start: { line: 1 } }, message: expect.stringContaining('no licence found') }],
  })
  expect([...untrusted.model.asked, ...down.model.asked]).toEqual([])
  const left = await run(declare(stdioServer('dies-at-once')), ['Without.'], {
    ...{ allowExec: true, sandbox: 'off', skipUntrusted: true },
  })
  expect(left.result.status).toBe('done')
})

test('a dry run starts no server', async () => {
  const folder = await documentFolder({ 'chat.chatmd': declare(stdioServer('dies-at-once')) })
  const options = { cwd: folder, configFolder: join(folder, 'config'), env: {}, allowExec: true }
  const { notices } = await previewDocument(join(folder, 'chat.chatmd'), { ...options, model: 'demo' })
  expect(notices.join('\n')).toContain("listing doesn't start or contact anything")
})

test('a token is sent if its variable is one for MCP servers or was allowed, and to nobody otherwise', async () => {
  const { url, stop } = await startHttpServer('locked')
  onTestFinished(stop)
  const steps = [step('headers'), 'Done.']
  const env = { PATH: process.env.PATH, ARGOT_MCP_ODD: 'let-me-in', SECRET: 'let-me-in' }
  const options: RunOptions = { env, allowPrivateAddresses: true }
  const good = await run(declare(url, 'token_env="ARGOT_MCP_ODD"'), steps, options)
  // The server's echo of the token is redacted like any other key.
  expect(good.outputs).toEqual([expect.not.stringContaining('let-me-in')])
  const refused = await run(declare(url, 'token_env="SECRET"'), steps, options)
  expect(refused.result).toMatchObject({ status: 'failed', code: 'SETTINGS_ENV_NOT_ALLOWED' })
  const allowed = await run(declare(url, 'token_env="SECRET"'), steps, { ...options, allowEnv: ['SECRET'] })
  expect(allowed.result.status).toBe('done')
})

test('a document reaches servers in the private network only where the user allows that', async () => {
  const { url, stop } = await startHttpServer()
  onTestFinished(stop)
  const { result } = await run(declare(url), ['Never said.'])
  expect(result).toMatchObject({ status: 'failed', error: expect.stringContaining('loopback') })
})

test('a server that calls a tool like a built-in one does not get its calls', async () => {
  const { outputs, notices } = await run(
    `<tool name="read_file"/>\n${declare(stdioServer(), 'include="read_file,echo"')}`,
    [step('read_file', { path: 'chat.chatmd' }), 'Done.'],
    { allowExec: true, sandbox: 'off' },
  )
  expect(String(outputs[0])).toContain('mcp_server')
  expect(notices).toContainEqual(expect.stringContaining('`read_file`'))
  // Nor where the document does not declare the built-in one.
  const undeclared = declare(stdioServer(), 'include="read_file,echo"')
  const alone = await run(undeclared, [step('read_file', { path: 'chat.chatmd' }), 'Done.'], {
    ...{ allowExec: true, sandbox: 'off' },
  })
  expect(alone.model.asked[0]!.tools!.map(tool => tool.name)).toEqual(['echo'])
  expect(String(alone.outputs[0])).toContain('There is no tool')
})

test('a server runs inside the sandbox, without a network unless the document says so', async () => {
  const { url } = await serve((_, response) => response.end('here'))
  // The server is a file of this repository. It and Node may be in the temporary folder that a sandbox replaces.
  const isNodeThere = process.execPath.startsWith('/tmp/')
  const allowPaths = [resolve(import.meta.dirname, '../../../..'), ...(isNodeThere ? [dirname(process.execPath)] : [])]
  for (const [attribute, answer] of [
    ['', 'out of reach'],
    ['network', 'reached'],
  ]) {
    const { outputs } = await run(
      declare(stdioServer(), `include="reach" ${attribute}`),
      [step('reach', { url }), 'Done.'],
      { allowExec: true, sandbox: 'require', allowPaths },
    )
    expect(outputs).toEqual([answer])
  }
})

test('a document from the web gets the tools of servers on the web, and no program and no token', async () => {
  const { url, stop } = await startHttpServer('good')
  onTestFinished(stop)
  const started = stdioServer()
  const remote = `<tool mcp_server="${url}" include="echo"/>
<tool mcp_server="${url}" include="structured" token_env="ARGOT_MCP_KEY"/>
<tool mcp_server="${started}" include="nothing"/>
<tool name="read_file"/>
<system>
You are far away.
</system>
`
  const { url: web } = await serve((_, response) => response.setHeader('content-type', 'text/plain').end(remote))
  const offered: string[][] = []
  const steps: ScriptedStep = ({ prompt, tools = [] }) => {
    const isAnswered = prompt.some(({ role }) => role === 'tool')
    if (!JSON.stringify(prompt).includes('far away')) {
      return isAnswered ? 'Done.' : [...call('h', 'helper', { input: 'Help.' }), finish('tool-calls')]
    }
    offered.push(tools.map(tool => tool.name))
    return isAnswered
      ? JSON.stringify(prompt.at(-1))
      : [...call('e', 'echo', { text: 'from afar' }), finish('tool-calls')]
  }
  const source = `<tool name="helper" agent="${web}/helper.chatmd"/>\n\n<user>\nGo.\n</user>\n`
  const env = { PATH: process.env.PATH, ARGOT_MCP_KEY: 'a-token-of-this-test' }
  const shared = { allowExec: true, allowPrivateAddresses: true, skipUntrusted: true, env }
  const { outputs, notices } = await run(source, [steps], shared)
  expect(offered).toEqual([['echo'], ['echo']])
  expect(String(outputs[0])).toContain('from afar')
  const said = notices.filter(text => text.includes("a document from the web can't start programs or get tokens"))
  expect(said).toHaveLength(2)
})
