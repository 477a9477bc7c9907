import { once } from 'node:events'
import { mkdir, readdir, readFile, realpath, rm, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { folderStore } from '@argot/agent'
import { matchDocument, toRecords } from '@argot/agent/internal'
import { createResolver } from '@argot/agent/workshop'
import { accumulate, type Chunk, type Message, toolCalls } from '@argot/core'
import { checkChatMd, expand, parseChatMd } from '@argot/core/chatmd'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startCompatible } from '../../agent/test/model/servers/compatible.ts'
import type { ModelServer, ScriptedReply } from '../../agent/test/model/servers/model-server.ts'
import { startOpenAi } from '../../agent/test/model/servers/openai.ts'
import { type ArgotOptions, argot, folderWith, type Result } from './argot.ts'
import { inProcess } from './in-process.ts'

const document = `<config model="openai-compatible:test"/>
<tool name="read_file"/>

<system>
Be brief.
</system>

<user>
What is in notes.md?
</user>
`
const read: ScriptedReply = {
  text: 'I read it.',
  calls: [{ id: 'c1', name: 'read_file', input: { path: 'notes.md' } }],
  usage: { input: 10, output: 5 },
}
const answer: ScriptedReply = { text: 'It says *hello*.', usage: { input: 20, output: 6 } }

/** A folder that is also the home of the user, and the document in it. */
async function home(files: Record<string, string> = {}): Promise<{ folder: string; file: string }> {
  const folder = await realpath(await folderWith({ 'chat.chatmd': document, 'notes.md': 'hello\n', ...files }))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return { folder, file: join(folder, 'chat.chatmd') }
}

async function serve(
  replies: readonly ScriptedReply[],
  start: (replies: readonly ScriptedReply[]) => Promise<ModelServer> = startCompatible,
): Promise<ModelServer> {
  const server = await start(replies)
  onTestFinished(() => server.close())
  return server
}

/** The real command in a process of its own, without any key and with a home of its own. */
function argotAt(folder: string, args: readonly string[], options: ArgotOptions = {}): Promise<Result> {
  return argot(args, { cwd: folder, ...options, env: { HOME: folder, ...options.env } })
}

/** The messages of a document, which must be readable without errors. */
async function messagesOf(file: string): Promise<Message[]> {
  const source = await readFile(file, 'utf8')
  const parsed = parseChatMd(source, { file })
  const { records: kept } = await folderStore(dirname(file)).sidecars.read(basename(file))
  const known = toRecords({ records: kept.map(({ value }) => ({ value, isSigned: true })) })
  const records = matchDocument(parsed.document.tree, known)
  const expanded = await expand(parsed.document, { resolver: createResolver(), records })
  const problems = [...parsed.diagnostics, ...checkChatMd(source), ...expanded.diagnostics]
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([])
  return expanded.messages.map(({ message }) => message)
}

const lines = (text: string): unknown[] =>
  text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))

describe('the first run', () => {
  test('needs no key: the demo model answers, and says how to set a real one', async () => {
    const { folder, file } = await home({
      'chat.chatmd': '<tool name="read_file"/>\n<user>\nWhat is in notes.md?\n</user>\n',
    })
    const { status, stdout, stderr } = await argotAt(folder, ['run', 'chat.chatmd'])
    expect(status).toBe(0)
    expect(stdout).toMatch(/^Here is what the tools returned:\n\n- `read_file` returned 6 characters/)
    expect(stdout).toMatch(/I'm Argot's demo model.*set OPENAI_API_KEY/)
    expect(stderr.replace(/\d+\.\d s/, 'TIME')).toMatchInlineSnapshot(`
      "✔ Read notes.md · hello · TIME
      "
    `)
    expect(toolCalls((await messagesOf(file)).at(-1)!)).toMatchObject([{ toolName: 'read_file', output: 'hello\n' }])
  })
})

describe('a failure is one clear sentence, status 1, and the file stays as it is:', () => {
  const refused = (status: number, type: string, message: string, code: string | null = null): ScriptedReply => ({
    status,
    body: { error: { message, type, code, param: null } },
  })

  async function fail(env: Record<string, string>, args: string[] = []): Promise<string> {
    const { folder, file } = await home()
    const { status, stdout, stderr } = await inProcess(['run', file, ...args], { cwd: folder, env })
    expect([status, stdout]).toEqual([1, ''])
    expect(await readFile(file, 'utf8')).toBe(document)
    expect(stderr.trimEnd().split('\n').length).toBe(1)
    return stderr.replace(/127\.0\.0\.1:\d+/g, 'HOST:PORT')
  }

  test('a model that does not exist', async () => {
    const reply = refused(404, 'invalid_request_error', 'The model `gpt-99` does not exist.', 'model_not_found')
    const { env } = await serve([reply], startOpenAi)
    expect(await fail(env, ['--model', 'openai:gpt-99'])).toMatchInlineSnapshot(`
      "argot: OpenAI has no model "gpt-99", or this key may not use it. Check the name. It says: The model \`gpt-99\` does not exist. (MODEL_NOT_FOUND)
      "
    `)
  })

  test('a message of --input that was added but not answered', async () => {
    const { env, requests } = await serve([refused(400, 'bad', 'No.'), answer])
    const { folder, file } = await home()
    const { status, stderr } = await inProcess(['run', file, '--input', 'Sure?'], { cwd: folder, env })
    expect(status).toBe(1)
    expect(stderr.replaceAll(folder, '.')).toMatchInlineSnapshot(`
      "argot: The server at ARGOT_BASE_URL rejected the request (status 400). It says: No. (MODEL_BAD_REQUEST)
      Your message is in ./chat.chatmd. To continue, run: argot run ./chat.chatmd
      "
    `)
    const again = await inProcess(['run', file], { cwd: folder, env })
    expect(again.status).toBe(0)
    expect(requests[1]!.body).toEqual(requests[0]!.body)
  })

  test('a key that is missing', async () => {
    expect(await fail({}, ['--model', 'anthropic:claude-sonnet-5'])).toMatchInlineSnapshot(`
      "argot: anthropic:claude-sonnet-5 needs a key. Set ANTHROPIC_API_KEY to your Anthropic key, or store it with: argot keys set anthropic. The demo model works without a key: --model demo. (MODEL_MISSING_KEY)
      "
    `)
  })

  test('a key that is refused', async () => {
    const { env } = await serve([refused(401, 'auth', 'Wrong key local-secret-word', 'invalid_api_key')])
    expect(await fail(env)).toMatchInlineSnapshot(`
      "argot: The server at ARGOT_BASE_URL refused the key (status 401). Check ARGOT_API_KEY: it may be wrong or expired, or it may not have access to openai-compatible:test. It says: Wrong key [redacted: ARGOT_API_KEY] (MODEL_KEY_REFUSED)
      "
    `)
  })

  test('an address that is missing', async () => {
    expect(await fail({})).toMatchInlineSnapshot(`
      "argot: openai-compatible:test needs its server's address. Set ARGOT_BASE_URL, for example to http://HOST:PORT/v1. (MODEL_BAD_ADDRESS)
      "
    `)
  })

  test('a server that is not there', async () => {
    const port = createServer().listen(0, '127.0.0.1')
    await once(port, 'listening')
    const address = port.address() as { port: number }
    await new Promise(resolve => port.close(resolve))
    expect(await fail({ ARGOT_BASE_URL: `http://127.0.0.1:${address.port}/v1` })).toMatchInlineSnapshot(`
      "argot: http://HOST:PORT/v1/chat/completions cannot be reached: nothing is listening there. Start the server, or correct ARGOT_BASE_URL. (MODEL_UNREACHABLE)
      "
    `)
  })

  test('a conversation that is too long', async () => {
    const { env } = await serve([refused(400, 'exceed_context_size_error', 'request (4390 tokens) is too long')])
    expect(await fail(env)).toMatchInlineSnapshot(`
      "argot: The conversation doesn't fit the context window of openai-compatible:test, and nothing more can be summarised. The tokens are used by: system messages and tools about 200, the message being answered about 11. Shorten the longest part, or use a model with a larger window. If you run the server, start it with a larger window and pass its size with --context. It says: request (4390 tokens) is too long (MODEL_CONTEXT_EXCEEDED)
      "
    `)
  })

  test('a provider that does not exist', async () => {
    expect(await fail({}, ['--model', 'llama3:8b'])).toMatchInlineSnapshot(`
      "argot: There is no provider "llama3". Write a model as PROVIDER:NAME. The providers are openai, anthropic, google, ollama, openai-compatible, demo, replay. Local models need a provider prefix too: "ollama:llama3:8b". (MODEL_UNKNOWN_PROVIDER)
      "
    `)
  })

  test('a syntax that does not exist, in a variable', async () => {
    const { env } = await serve([answer])
    expect(await fail({ ...env, ARGOT_TOOL_SYNTAX: 'yaml' })).toMatchInlineSnapshot(`
      "argot: There is no syntax "yaml". Common ones: native, xml, caret, auto, hermes, llama3, mistral, qwen3-coder, harmony. \`argot models --syntaxes\` lists all 55. The name comes from the variable \`ARGOT_TOOL_SYNTAX\`. (SYNTAX_UNKNOWN)
      "
    `)
  })
})

describe('a document', () => {
  test('with errors is shown with the place of each, and not run', async () => {
    const { env, requests } = await serve([answer])
    const { folder, file } = await home({ 'chat.chatmd': '<user>\nHello\n' })
    const { status, stdout, stderr } = await inProcess(['run', file], { cwd: folder, env })
    expect([status, stdout, requests.length]).toEqual([1, '', 0])
    expect(stderr.replaceAll(folder, '.')).toMatchInlineSnapshot(`
      "./chat.chatmd:1:1 error CHATMD_UNCLOSED_ELEMENT: \`<user>\` is not closed.
        |
      1 | <user>
        | ^^^^^^
        = Close it with \`</user>\`.

      argot: The document has an error, so it didn't run: \`<user>\` is not closed. (RUN_BAD_DOCUMENT)
      "
    `)
    expect(await readFile(file, 'utf8')).toBe('<user>\nHello\n')
  })

  test('whose tail was cut by hand is repaired, and that is said', async () => {
    const { env } = await serve([answer, { text: 'Yes.' }])
    const { folder, file } = await home()
    await inProcess(['run', file], { cwd: folder, env })
    const whole = await readFile(file, 'utf8')
    await truncate(file, whole.length - 40)
    const { status, stdout, stderr } = await inProcess(['run', file, '--input', 'Sure?'], { cwd: folder, env })
    expect([status, stdout]).toEqual([0, 'Yes.\n'])
    expect(stderr.replaceAll(folder, '.')).toMatchInlineSnapshot(`
      "\`chat.chatmd\` ended in the middle of an element. The incomplete element was moved to \`.chatmd/tails/chat.chatmd/0.txt\`.
      "
    `)
    expect((await messagesOf(file)).map(({ role }) => role)).toEqual(['system', 'user', 'user', 'assistant'])
  })

  test('is run by one command at a time: a second fails, or waits with --wait', async () => {
    const { env, requests } = await serve([{ ...answer, cutAfter: 0, cutBy: 'silence' }, answer])
    const { folder, file } = await home()
    const controller: { interrupt?: () => void } = {}
    const first = argotAt(folder, ['run', 'chat.chatmd', '--json'], {
      env,
      onOutput: child => {
        controller.interrupt = () => child.kill('SIGINT')
      },
    })
    while (requests.length === 0 || controller.interrupt === undefined)
      await new Promise(resolve => setImmediate(resolve))
    const second = await inProcess(['run', file], { cwd: folder, env })
    expect([second.status, second.stdout]).toEqual([1, ''])
    expect(second.stderr.replaceAll(folder, '.').replace(/\d{2,}/g, 'N')).toMatchInlineSnapshot(`
      "argot: \`chat.chatmd\` is being run by process N, which started at N-N-NTN:N:N.NZ. Wait for that run to finish (or pass \`--wait\`), or stop it. (RUN_LOCKED)
      "
    `)
    const third = inProcess(['run', file, '--wait'], { cwd: folder, env })
    controller.interrupt?.()
    expect((await first).status).toBe(130)
    expect(await third).toMatchObject({ status: 0, stdout: 'It says *hello*.\n' })
    expect((await messagesOf(file)).length).toBe(3)
  })
})

describe('the syntax', () => {
  const signs = { hermes: '<tool_call>', caret: '^^^', xml: '<tool:', fence: '```tool' } as const

  test('comes from the flag, the document, the variable, the project and the user, in this order', async () => {
    const { env, requests } = await serve(Array.from({ length: 6 }, () => answer))
    const { folder } = await home()
    const project = join(folder, 'project')
    await mkdir(join(folder, '.config/argot'), { recursive: true })
    await mkdir(project)
    const named = document.replace('/>', ' tool_syntax="caret"/>')
    const user = join(folder, '.config/argot/argot.config.json')
    await writeFile(user, '{"toolSyntax":"hermes"}')
    await writeFile(join(project, 'argot.config.json'), '{"toolSyntax":"fence"}')
    const run = async (source: string, args: string[], more: Record<string, string> = {}): Promise<void> => {
      await writeFile(join(project, 'chat.chatmd'), source)
      const result = await inProcess(['run', join(project, 'chat.chatmd'), ...args], {
        cwd: folder,
        env: { ...env, ...more },
      })
      expect(result).toMatchObject({ status: 0, stdout: 'It says *hello*.\n' })
    }
    await run(named, ['--syntax', 'hermes'], { ARGOT_TOOL_SYNTAX: 'xml' })
    await run(named, [], { ARGOT_TOOL_SYNTAX: 'xml' })
    await run(document, [], { ARGOT_TOOL_SYNTAX: 'xml' })
    await run(document, [])
    await rm(join(project, 'argot.config.json'))
    await run(document, [])
    await rm(user)
    await run(document, [])
    const seen = requests.map(({ body }) => {
      if ('tools' in body) return 'native'
      const prompt = JSON.stringify(body.messages)
      return Object.entries(signs)
        .flatMap(([name, sign]) => (prompt.includes(sign) ? [name] : []))
        .join()
    })
    expect(seen).toEqual(['hermes', 'caret', 'xml', 'fence', 'hermes', 'native'])
  })

  test('of `argot parse` and `argot docs` comes from the settings files too', async () => {
    const { folder } = await home({
      'argot.config.json': '{"toolSyntax":"caret"}',
      'tools.json': '[{"name":"ls","description":"Lists.","inputSchema":{"type":"object","properties":{}}}]',
    })
    const input = '^^^ls\n^^^\n'
    const parsed = await inProcess(['parse'], { cwd: folder, input })
    expect(parsed.stdout).toContain('"type":"tool-input-available"')
    const byVariable = await inProcess(['parse'], { cwd: folder, input, env: { ARGOT_TOOL_SYNTAX: 'xml' } })
    expect(byVariable.stdout).not.toContain('tool-input')
    const byFlag = await inProcess(['parse', '-s', 'caret'], { cwd: folder, input, env: { ARGOT_TOOL_SYNTAX: 'xml' } })
    expect(byFlag).toEqual(parsed)
    const taught = await inProcess(['docs', '--tools', join(folder, 'tools.json')], { cwd: folder })
    expect(taught.stdout).toContain('^^^ls')
    await writeFile(join(folder, 'argot.config.json'), '{"toolSyntax":"yaml"}')
    const unknown = await inProcess(['parse'], { cwd: folder, input })
    expect([unknown.status, unknown.stderr.replaceAll(folder, '.')]).toMatchInlineSnapshot(`
      [
        2,
        "argot: There is no syntax "yaml". Common ones: native, xml, caret, auto, hermes, llama3, mistral, qwen3-coder, harmony. \`argot models --syntaxes\` lists all 55. The name comes from \`toolSyntax\` in \`./argot.config.json\`. (SYNTAX_UNKNOWN)
      ",
      ]
    `)
    await rm(join(folder, 'argot.config.json'))
    const nothing = await inProcess(['parse'], { cwd: folder, input })
    expect(nothing.status).toBe(2)
    expect(nothing.stderr).toContain('`toolSyntax` in argot.config.json')
  })
})

describe('a run', () => {
  test('prints with --json the chunks that make up the message of the document; replay plays it again', async () => {
    const { env } = await serve([read, answer])
    const { folder, file } = await home()
    const { status, stdout, stderr } = await inProcess(['run', file, '--json'], { cwd: folder, env })
    expect([status, lines(stderr)]).toMatchObject([
      0,
      [{ result: { status: 'done', finishReason: 'stop', steps: 2, usage: { inputTokens: 30, totalTokens: 41 } } }],
    ])
    const chunks = lines(stdout) as Chunk[]
    const fold = accumulate()
    for (const chunk of chunks) fold.push(chunk)
    const told = (await messagesOf(file)).at(-1)!
    expect(withoutTimes(fold.message!)).toEqual(withoutTimes(told))
    expect(told.metadata).toMatchObject({ usage: { inputTokens: 30, outputTokens: 11, totalTokens: 41 }, steps: 2 })

    const replayed = await inProcess(['replay', file], { cwd: folder })
    expect(replayed).toMatchObject({ status: 0, stdout: 'It says *hello*.\n' })
    expect(replayed.stderr).toMatch(/^✔ Read notes\.md · hello · \d+\.\d s\n$/)
    const folderOfLogs = join(folder, '.chatmd/runs/chat.chatmd')
    const [log] = await readdir(folderOfLogs)
    const fromLog = await inProcess(['replay', join(folderOfLogs, log!), '--json'], { cwd: folder })
    const again = accumulate()
    for (const chunk of lines(fromLog.stdout) as Chunk[]) again.push(chunk)
    expect(withoutTimes(again.message!)).toEqual(withoutTimes(told))
  })

  test('shows with --dry-run what the model would see and where it comes from, and starts nothing', async () => {
    const source = document
      .replace('What is', '<doc src="notes.md" local/>\nWhat is')
      .replace('<system>', '<tool name="list" command="touch started"/>\n\n<system>')
    const { env, requests } = await serve([])
    const { folder, file } = await home({ 'chat.chatmd': source })
    const args = ['run', file, '--dry-run', '--syntax', 'caret', '--input', 'Now.']
    const { status, stdout, stderr } = await inProcess(args, { cwd: folder, env })
    expect([status, stderr]).toEqual([0, ''])
    const short = stdout
      .replace(/^( {10}\{).*/gm, '$1…')
      .replace(/(\(read\): Reads).*/, '$1…')
      .replace(/(\n {2}\+ # How.*)(?:\n {2}\+.*)*/, '$1…')
    expect(short).toMatchInlineSnapshot(`
      "model   openai-compatible:test
      syntax  caret
      sent    stopSequences ["\\n^^^ result of "]
      tools   read_file (read): Reads…
                {…
                runs without asking
              list (exec): Runs the command \`touch started\`.
                {…
                asks before it runs

      system
        + from the lesson for the caret syntax, about 346 tokens
        + # How to call a tool…

      system
        | from chat.chatmd:7, about 3 tokens
        | Be brief.

      user
        | from notes.md (chat.chatmd:11), about 2 tokens
        | hello
        |
        | from chat.chatmd:11, about 7 tokens
        |
        | What is in notes.md?

      user
        | from --input, about 2 tokens
        | Now.

      + added by Argot

      about 360 tokens in all
      "
    `)
    expect(stdout).toContain('  + ^^^list\n')
    expect(requests).toEqual([])
    expect(await readFile(file, 'utf8')).toBe(source)
    expect((await readdir(folder)).sort()).toEqual(['chat.chatmd', 'notes.md'])
  })

  test('takes a message from standard input, and leaves the document alone with --output', async () => {
    const { env, requests } = await serve([answer, { text: 'Fine.' }])
    const { folder, file } = await home()
    await inProcess(['run', file], { cwd: folder, env })
    const before = await readFile(file, 'utf8')
    const args = ['run', 'chat.chatmd', '--input', '-', '--output', 'other.chatmd']
    const { status, stdout } = await argotAt(folder, args, { env, input: 'A <b>bold</b> diff\n+ line\n' })
    expect([status, stdout]).toEqual([0, 'Fine.\n'])
    expect(await readFile(file, 'utf8')).toBe(before)
    expect((requests[1]!.body.messages as { content: string }[]).at(-1)).toEqual({
      role: 'user',
      content: 'A <b>bold</b> diff\n+ line\n',
    })
    const messages = await messagesOf(join(folder, 'other.chatmd'))
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user', 'assistant'])
  })

  test('refuses calls that change something with --approve readonly, and the model is told', async () => {
    const write = { calls: [{ id: 'w1', name: 'write_file', input: { path: 'new.md', content: 'x' } }] }
    const { env, requests } = await serve([write, answer])
    const { folder, file } = await home({ 'chat.chatmd': document.replace('read_file', 'write_file') })
    const { status, stderr } = await inProcess(['run', file, '--approve', 'readonly'], { cwd: folder, env })
    expect(status).toBe(0)
    expect(stderr.replace(/\d+\.\d s/, 'TIME')).toMatchInlineSnapshot(`
      "✖ Not written new.md · not approved: \`write_file\` didn't run: its approval policy is \`readonly\`, which allows only tools that read; this one changes files.
      "
    `)
    expect(JSON.stringify(requests[1]!.body.messages)).toContain("didn't run: its approval policy is")
    expect((await readdir(folder)).includes('new.md')).toBe(false)
  })

  test('ends with --max-steps, and goes on with the next run', async () => {
    const { env } = await serve([read, answer])
    const { folder, file } = await home()
    const first = await inProcess(['run', file, '--max-steps', '1'], { cwd: folder, env })
    expect(first.status).toBe(1)
    expect(first.stderr.replace(/\d+\.\d s/, 'TIME')).toMatchInlineSnapshot(`
      "✔ Read notes.md · hello · TIME
      argot: The run reached its limit of one step. Run it again to continue, or raise the limit with --max-steps. (RUN_MAX_STEPS)
      "
    `)
    const second = await inProcess(['run', file], { cwd: folder, env })
    expect(second).toMatchObject({ status: 0, stdout: 'It says *hello*.\n' })
    const third = await inProcess(['run', file], { cwd: folder, env })
    expect(third.stderr).toContain('(RUN_NOTHING_TO_ANSWER)')
  })
})

describe('a command of the document', () => {
  const shell = document.replace(
    '<tool name="read_file"/>',
    '<tool name="hang" command="sleep 600" description="Waits."/>',
  )

  test('is left out with a notice, unless it is allowed', async () => {
    const source = shell.replace('sleep 600', 'echo hello')
    const echo = { calls: [{ id: 'e1', name: 'hang', input: { arguments: ['world; ls'] } }] }
    const { env, requests } = await serve([answer, echo, answer])
    const { folder, file } = await home({ 'chat.chatmd': source })
    const without = await inProcess(['run', file, '--skip-untrusted'], { cwd: folder, env })
    expect(without.status).toBe(0)
    expect(without.stderr).toMatchInlineSnapshot(`
      "The tool \`hang\` is left out: the command \`echo hello\` was not allowed for this document. Allow it with --allow-exec.
      "
    `)
    expect(requests[0]!.body).not.toHaveProperty('tools')
    await writeFile(file, source)
    const allowed = await inProcess(['run', file, '--allow-exec', '--approve', 'all'], { cwd: folder, env })
    expect(allowed.status).toBe(0)
    expect(JSON.stringify(toolCalls((await messagesOf(file)).at(-1)!))).toContain('hello world; ls')
  })

  test('is ended by Ctrl-C, its call is settled, and the document is readable and goes on', async () => {
    const { env, requests } = await serve([
      { text: 'I wait.', calls: [{ id: 'h1', name: 'hang', input: { arguments: [] } }] },
      answer,
    ])
    const { folder, file } = await home({ 'chat.chatmd': shell })
    let sent = false
    const { status, stdout } = await argotAt(
      folder,
      ['run', 'chat.chatmd', '--allow-exec', '--approve', 'all', '--json'],
      {
        env,
        onOutput(child, output) {
          if (!sent && output.includes('"tool-input-available"')) sent = child.kill('SIGINT')
        },
      },
    )
    expect(status).toBe(130)
    const chunks = lines(stdout) as Chunk[]
    expect(chunks.at(-1)).toMatchObject({ type: 'abort' })
    const stopped = (await messagesOf(file)).at(-1)!
    expect(stopped).toMatchObject({ status: 'cancelled' })
    expect(toolCalls(stopped)).toMatchObject([{ toolCallId: 'c1', state: 'output-error', settledBy: 'abort' }])
    const again = await inProcess(['run', file, '--allow-exec'], { cwd: folder, env })
    expect(again).toMatchObject({ status: 0, stdout: 'It says *hello*.\n' })
    expect(requests.length).toBe(2)
    expect((await messagesOf(file)).at(-1)!.status).toBe('sent')
  })
})

/** What a message says, without when. */
function withoutTimes(message: Message): unknown {
  return JSON.parse(
    JSON.stringify(message, (key, value) => (/^(?:createdAt|startedAt|endedAt)$/.test(key) ? undefined : value)),
  )
}

describe('a command that nobody has allowed', () => {
  const withCommand = document.replace('<tool name="read_file"/>', '<tool name="ls" command="ls"/>')

  test('fails the run in a pipe, at its place, before the model is asked', async () => {
    const { folder } = await home({ 'chat.chatmd': withCommand })
    const server = await serve([answer])
    const env = server.env
    const failed = await argotAt(folder, ['run', 'chat.chatmd', '-q'], { env })
    expect(failed).toMatchObject({ status: 1, stdout: '' })
    expect(failed.stderr).toMatch(/chat\.chatmd:2:1 error TOOL_NOT_TRUSTED/)
    expect(failed.stderr).toContain('--skip-untrusted')
    expect(server.requests).toEqual([])
  })

  test('is left out with --skip-untrusted, which is said even to the quiet', async () => {
    const { folder } = await home({ 'chat.chatmd': withCommand })
    const server = await serve([answer])
    const env = server.env
    const skipped = await argotAt(folder, ['run', 'chat.chatmd', '-q', '--skip-untrusted'], { env })
    expect(skipped).toMatchObject({ status: 0, stdout: 'It says *hello*.\n' })
    expect(skipped.stderr).toMatch(/^The tool `ls` is left out: .*--allow-exec\.\n$/)
  })
})
