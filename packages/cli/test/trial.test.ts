import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { readTasks, type TrialReport } from '@argot/agent/internal'
import { main } from '@argot/cli'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startCompatible } from '../../agent/test/model/servers/compatible.ts'
import type { ModelServer } from '../../agent/test/model/servers/model-server.ts'
import { type ArgotOptions, argot, type Result } from './argot.ts'
import { inProcess } from './in-process.ts'
import { FakeTerminal } from './terminal.ts'
import { lamp, MODEL, perfect, type Question, serveTrial, talk, tasksIn, toReply } from './trial-model.ts'

/** The tasks `lamp` and `talk`, and a model that solves them. */
async function home(reply: (question: Question) => ReturnType<typeof perfect> = perfect) {
  const folder = await tasksIn({ 'lamp.json': lamp, 'talk.json': talk })
  const server = await serveTrial(await readTasks(folder), reply)
  const trial = (...args: string[]): Promise<Result> =>
    inProcess(['trial', ...MODEL, '--tasks', folder, ...args], { cwd: folder, env: server.env })
  return { folder, server, trial }
}

/** However slow the machine is, and however wide that makes the column. */
const withoutTimes = (text: string): string => text.replace(/ +(?=time$)/gm, '  ').replace(/ +\d+\.\d s/g, '  0.0 s')
const report = async (file: string): Promise<TrialReport> => JSON.parse(await readFile(file, 'utf8'))

describe('the table', () => {
  test('has a row per syntax and a row per category, and nothing else is said in a pipe', async () => {
    const { trial } = await home(question =>
      question.syntax?.name === 'xml' ? toReply({ text: 'Hello.' }, question) : perfect(question),
    )
    const { status, stdout, stderr } = await trial('--syntax', 'xml,native', '--runs', '2')
    expect([status, stderr]).toEqual([0, ''])
    expect(withoutTimes(stdout)).toMatchInlineSnapshot(`
      "syntax  solved         wrong  repairs  reader   in  out  time
      native     4/4  100 %      0        0       0  150   15  0.0 s
      xml        2/4   50 %      0        0       0  100   10  0.0 s

      wrong: wrong calls · repairs: wrong calls that the model corrected · reader: calls that Argot's
      reader repaired · in, out: tokens per task (~ marks estimates)

      solved  native  xml
      lamps      4/4  2/4

      Not solved
        xml · lamp: set_lamp {"level":40} was not called; the answer doesn’t have "40".
        xml · lamp (run 2): set_lamp {"level":40} was not called; the answer doesn’t have "40".

      Best: native, 100 % solved.
      "
    `)
  })

  test.each([80, 120])('fits a terminal of %i columns, and so does the progress', async columns => {
    const { folder, server } = await home()
    const names = ['native', 'xml', 'caret', 'callout', 'fence', 'hermes', 'qwen3-coder', 'mistral', 'pythonic', 'glm']
    const [stdout, stderr] = [new FakeTerminal(columns), new FakeTerminal(columns)]
    const args = ['trial', ...MODEL, '--tasks', folder, '--syntax', names.join()]
    const stdin = new PassThrough()
    const status = await main(args, { stdin, stdout, stderr, env: { HOME: folder, ...server.env }, cwd: () => folder })
    expect([status, stdout.strange, stderr.strange]).toEqual([0, [], []])
    const lines = stdout.written.split('\n')
    expect(Math.max(...lines.map(line => line.replace(/\x1b\[\d+m/g, '').length))).toBeLessThanOrEqual(columns)
    expect(stderr.written).toContain('7/20 · 7 solved')
    // The line of the progress is gone at the end.
    expect(stderr.text).toBe('')
  })
})

test('nothing in a task drives the terminal', async () => {
  const evil = '\x1b[2J\x1b]0;x\x07\u202e'
  const folder = await tasksIn({ 'a.json': { ...lamp, name: `a${evil}`, category: `c${evil}`, answer: [`no${evil}`] } })
  const { env } = await serveTrial(await readTasks(folder), perfect)
  const [stdout, stderr] = [new FakeTerminal(80), new FakeTerminal(80)]
  for (const args of [[...MODEL, '--syntax', 'native'], ['--list']]) {
    const io = { stdin: new PassThrough(), stdout, stderr, env: { HOME: folder, ...env }, cwd: () => folder }
    expect(await main(['trial', ...args, '--tasks', folder], io)).toBe(0)
  }
  expect([stdout.strange, stderr.strange]).toEqual([[], []])
  expect(stdout.written + stderr.written).not.toContain('\u202e')
})

describe('--json, --output and --markdown', () => {
  test('hold the same results', async () => {
    const { folder, trial } = await home()
    const [file, page] = [join(folder, 'out', 'r.json'), join(folder, 'out', 'r.md')]
    await mkdir(join(folder, 'out'))
    const { status, stdout } = await trial('--syntax', 'native,hermes', '--json', '--output', file, '--markdown', page)
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toEqual(await report(file))
    expect(JSON.parse(stdout)).toMatchObject({
      format: 'argot-trial-1',
      model: 'openai-compatible:test',
      summary: [
        { runs: 2, solved: 2, errors: 0, wrongCalls: 0 },
        { runs: 2, solved: 2 },
      ],
    })
    expect(
      (await readFile(page, 'utf8')).replace(/\d{4}-\d\d-\d\d/, 'DATE').replace(/\d+\.\d s/g, '0.0 s'),
    ).toMatchInlineSnapshot(`
      "# Trial of openai-compatible:test

      DATE, 2 tasks. Each attempt may use up to 50000 tokens and 300 s. A program checks the calls and the answer of each task; no model judges.

      Best: native, 100 % solved. Too close to tell apart with this many runs: hermes.

      | syntax | solved |  | wrong | repairs | reader | in | out | time |
      | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
      | native | 2/2 | 100 % | 0 | 0 | 0 | 150 | 15 | 0.0 s |
      | hermes | 2/2 | 100 % | 0 | 0 | 0 | 150 | 15 | 0.0 s |

      - **solved**: tasks with correct calls and a correct answer, out of all attempts
      - **wrong**: wrong calls: unnecessary calls, invented tools, invalid values, and calls that are unreadable or only quoted
      - **repairs**: wrong calls that the model corrected after Argot sent it the error
      - **reader**: calls with small mistakes that the reader repaired
      - **in, out**: tokens per task, on average; ~ marks an estimate, if the provider didn't count all of them
      - **time**: per task, on average

      ## By category

      | solved | native | hermes |
      | --- | ---: | ---: |
      | lamps | 2/2 | 2/2 |

      Share of tasks that each syntax solves, with 95 % confidence: native 34–100 %, hermes 34–100 %.
      "
    `)
  })

  test('a page cannot be broken by the names of tasks', async () => {
    const folder = await tasksIn({ 'a.json': { ...lamp, name: '<b>|`x`\n# y', category: '[a](b) | c' } })
    const { env } = await serveTrial(await readTasks(folder), question => toReply({ text: 'No.' }, question))
    const page = join(folder, 'page.md')
    const args = ['trial', ...MODEL, '--tasks', folder, '--syntax', 'native', '--markdown', page]
    expect((await inProcess(args, { cwd: folder, env })).status).toBe(0)
    const written = await readFile(page, 'utf8')
    expect(written).toContain('| \\[a\\](b) \\| c | 0/1 |')
    expect(written).toContain('- native · \\<b\\>\\|\\`x\\` # y: ')
  })
})

describe('a trial that was interrupted', () => {
  test('continues where it stopped, and asks nothing twice', async () => {
    const { folder, server, trial } = await home()
    const file = join(folder, 'r.out')
    await trial('--syntax', 'native', '--only', 'lamp', '--output', file)
    expect(server.requests.length).toBe(2)
    await trial('--syntax', 'native', '--output', file)
    expect(server.requests.length).toBe(3)
    await trial('--syntax', 'native', '--output', file)
    expect(server.requests.length).toBe(3)
    await trial('--syntax', 'native', '--output', file, '--runs', '2')
    expect(server.requests.length).toBe(6)
    expect((await report(file)).cases.length).toBe(4)
  })

  test('tries a task again whose content has changed', async () => {
    const { folder, server, trial } = await home()
    const file = join(folder, 'r.out')
    await trial('--syntax', 'native', '--output', file)
    const before = server.requests.length
    await writeFile(join(folder, 'talk.json'), JSON.stringify({ ...talk, maxSteps: 2 }))
    await trial('--syntax', 'native', '--output', file)
    expect(server.requests.length).toBe(before + 1)
    expect((await report(file)).cases.map(({ task }) => task)).toEqual(['lamp', 'talk'])
  })

  test('is stopped by Ctrl-C, with what it has so far kept', async () => {
    const folder = await tasksIn({ 'a.json': lamp, 'b.json': { ...lamp, prompt: 'Again, the lamp to 40.' } })
    const tasks = await readTasks(folder)
    const waiting: (() => void)[] = []
    const { env } = await serveTrial(tasks, question => {
      if (question.task.name === 'a') return perfect(question)
      for (const one of waiting) one()
      return { ...perfect(question), cutAfter: 0, cutBy: 'silence' }
    })
    const file = join(folder, 'r.out')
    const options: ArgotOptions = { cwd: folder, env: { HOME: folder, ...env } }
    const args = ['trial', ...MODEL, '--tasks', folder, '--syntax', 'native', '--output', file]
    const reached = new Promise<void>(resolve => waiting.push(resolve))
    const { status, stdout, stderr } = await argot(args, {
      ...options,
      onStart: child => void reached.then(() => child.kill('SIGINT')),
    })
    expect(status).toBe(130)
    expect(stdout).toContain('native     1/1  100 %')
    const again = 'argot trial --model openai-compatible:test --syntax native --tasks . --output ./r.out'
    expect(stderr.replaceAll(folder, '.')).toBe(`Stopped. To continue, run: ${again}\n`)
    expect((await report(file)).cases.map(({ task }) => task)).toEqual(['a'])
  })

  test('does not mix with results of another model or with other limits', async () => {
    const { folder, trial } = await home()
    const file = join(folder, 'r.out')
    await trial('--syntax', 'native', '--output', file)
    const other = await trial('--model', 'openai-compatible:other', '--syntax', 'native', '--output', file)
    expect([other.status, other.stderr.replaceAll(folder, '.')]).toMatchInlineSnapshot(`
      [
        1,
        "argot: ./r.out contains the results of a trial of openai-compatible:test, not of openai-compatible:other. Choose another file with --output. (TRIAL_BAD_REPORT)
      ",
      ]
    `)
    const longer = await trial('--syntax', 'native', '--output', file, '--max-time', '10')
    expect([longer.status, longer.stderr.replaceAll(folder, '.')]).toMatchInlineSnapshot(`
      [
        1,
        "argot: ./r.out contains the results of a trial with different limits (--max-tokens 50000 --max-time 300). Choose another file with --output. (TRIAL_BAD_REPORT)
      ",
      ]
    `)
  })
})

describe('--compare', () => {
  test('shows which tasks differ, and what only one trial has', async () => {
    const { folder, trial } = await home(question =>
      question.syntax?.name === 'hermes' ? toReply({ text: 'Hello, 40.' }, question) : perfect(question),
    )
    const [a, b] = [join(folder, 'a.out'), join(folder, 'b.out')]
    await trial('--syntax', 'native,hermes,xml', '--output', a)
    const measured = await report(a)
    const results = { ...measured, cases: measured.cases.map(one => ({ ...one, ms: 1500 })) }
    await writeFile(a, JSON.stringify(results))
    const cases = results.cases.map(one => (one.syntax === 'hermes' ? { ...one, solved: true } : one))
    const tasks = results.tasks.map(one => (one.name === 'talk' ? { ...one, digest: 'other' } : one))
    await writeFile(
      b,
      JSON.stringify({ ...results, model: 'another', tasks, cases: cases.filter(one => one.syntax !== 'xml') }),
    )
    const { status, stdout, stderr } = await inProcess(['trial', '--compare', a, b], { cwd: folder })
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout.replaceAll(folder, '.')).toMatchInlineSnapshot(`
      "A  ./a.out  (openai-compatible:test)
      B  ./b.out  (another)
      One task in both

      syntax  solved A      B  wrong A     B  tokens A    B  time A      B  tasks
      native     100 %  100 %     0.00  0.00       220  220   1.5 s  1.5 s  +0 −0
      hermes       0 %  100 %     0.00  0.00       110  110   1.5 s  1.5 s  +1 −0

      hermes (the difference may be due to chance)
        solved more often in B: lamp

      Syntaxes in A only: xml

      Tasks in A only, or with different content: talk

      Tasks in B only, or with different content: talk
      "
    `)
    const json = await inProcess(['trial', '--compare', a, b, '--json'], { cwd: folder })
    expect(JSON.parse(json.stdout)).toMatchObject({
      tasks: 1,
      syntaxes: [
        { syntax: 'native', better: [], worse: [] },
        { syntax: 'hermes', better: ['lamp'], worse: [], chance: 1 },
      ],
    })
  })

  test.each([
    ['nothing.json', undefined, 'There is no such file'],
    ['a.json', '{', 'it is not JSON.'],
    ['b.json', '[]', 'it was not written by `argot trial`.'],
    ['c.json', '{"format":"argot-trial-9"}', 'its format is "argot-trial-9", not "argot-trial-1".'],
    [
      'd.json',
      '{"format":"argot-trial-1","model":"m","startedAt":"x","limits":{"maxTokens":1,"maxSeconds":1},"tasks":[],"cases":[{"task":1}]}',
      '`cases` is not a list of results.',
    ],
  ])('refuses %s, which has no results', async (name, content, problem) => {
    const folder = await tasksIn(content === undefined ? {} : { [name]: content })
    const { status, stderr } = await inProcess(['trial', '--compare', join(folder, name), join(folder, name)], {
      cwd: folder,
    })
    expect(status).toBe(1)
    expect(stderr).toContain(problem)
  })
})

describe('a clear error', () => {
  const fail = async (args: readonly string[], env: Record<string, string> = {}): Promise<unknown> => {
    const folder = await tasksIn({ 'lamp.json': lamp })
    const { status, stdout, stderr } = await inProcess(['trial', ...args], { cwd: folder, env })
    return [status, stdout, stderr.replaceAll(folder, '.').replaceAll(/127\.0\.0\.1:\d+/g, 'HOST:PORT')]
  }
  const serve = async (status: number, message: string): Promise<ModelServer> => {
    const server = await startCompatible(() => ({ status, body: { error: { message } } }))
    onTestFinished(() => server.close())
    return server
  }

  test('for a key that is missing', async () => {
    expect(await fail(['--model', 'anthropic:claude-sonnet-5'])).toMatchInlineSnapshot(`
      [
        1,
        "",
        "argot: anthropic:claude-sonnet-5 needs a key. Set ANTHROPIC_API_KEY to your Anthropic key, or store it with: argot keys set anthropic. The demo model works without a key: --model demo. (MODEL_MISSING_KEY)
      ",
      ]
    `)
  })

  test('for a provider that does not exist', async () => {
    expect(await fail(['--model', 'nobody:x'])).toMatchInlineSnapshot(`
      [
        1,
        "",
        "argot: There is no provider "nobody". Write a model as PROVIDER:NAME. The providers are openai, anthropic, google, ollama, openai-compatible, demo, replay. Local models need a provider prefix too: "ollama:nobody:x". (MODEL_UNKNOWN_PROVIDER)
      ",
      ]
    `)
  })

  test('for a model that the server does not have', async () => {
    const { env, requests } = await serve(404, 'model "test" not found')
    expect(await fail([...MODEL, '--syntax', 'native,xml'], env)).toMatchInlineSnapshot(`
      [
        1,
        "",
        "argot: The server at ARGOT_BASE_URL has no model "test", or this key may not use it. Check the name. It says: model "test" not found (MODEL_NOT_FOUND)
      ",
      ]
    `)
    expect(requests.length).toBe(1)
  })

  test('for a server that is not there', async () => {
    const server = await serve(200, '')
    await server.close()
    expect(await fail([...MODEL, '--syntax', 'native'], server.env)).toMatchInlineSnapshot(`
      [
        1,
        "",
        "argot: http://HOST:PORT/v1/chat/completions cannot be reached: nothing is listening there. Start the server, or correct ARGOT_BASE_URL. (MODEL_UNREACHABLE)
      ",
      ]
    `)
  })

  test('for a key that is refused', async () => {
    const { env } = await serve(401, 'wrong key')
    expect(await fail([...MODEL, '--syntax', 'native'], env)).toMatchInlineSnapshot(`
      [
        1,
        "",
        "argot: The server at ARGOT_BASE_URL refused the key (status 401). Check ARGOT_API_KEY: it may be wrong or expired, or it may not have access to openai-compatible:test. It says: wrong key (MODEL_KEY_REFUSED)
      ",
      ]
    `)
  })

  test('for a syntax that does not exist', async () => {
    const [status, , stderr] = (await fail(['--model', 'demo', '--syntax', 'xml,yaml'])) as [number, string, string]
    expect([status, stderr.slice(0, 60)]).toMatchInlineSnapshot(`
      [
        2,
        "argot: There is no syntax "yaml". Common ones: native, xml, ",
      ]
    `)
  })

  test.each([
    [['--only', 'wether'], 2, 'There is no task or category "wether". Did you mean "weather"?'],
    [['--runs', '0'], 2, "Option '--runs <n>' argument '0' is invalid. It must be a whole number from 1 to 1000."],
    [['--compare', 'a.json'], 2, '--compare needs two files: argot trial --compare before.json after.json.'],
    [
      ['--syntax', 'xml,,'],
      2,
      "Option '-s, --syntax <names>' argument 'xml,,' is invalid. Separate the names with commas.",
    ],
    [
      ['--temperature', 'hot'],
      2,
      "Option '--temperature <n>' argument 'hot' is invalid. It must be a number from 0 to 10.",
    ],
    [['--tasks', './nowhere'], 1, 'There is no such file: ./nowhere'],
  ])('for %j', async (args, status, problem) => {
    expect(await fail(['--model', 'demo', ...args])).toEqual([
      status,
      '',
      expect.stringContaining(`argot: ${problem}\n`),
    ])
  })

  test('three failures of a server in a row end a trial; the others do not count', async () => {
    const folder = await tasksIn({ 'lamp.json': lamp })
    let requests = 0
    const { env } = await serveTrial(await readTasks(folder), question => {
      const isGood = ++requests === 3 || requests === 4
      return isGood ? perfect(question) : { status: 400, body: { error: { message: 'Bad schema.' } } }
    })
    const file = join(folder, 'r.out')
    const args = ['trial', ...MODEL, '--tasks', folder, '--syntax', 'native', '--runs', '9', '--output', file]
    const { status, stdout, stderr } = await inProcess(args, { cwd: folder, env })
    expect([status, requests]).toEqual([1, 7])
    expect(stdout).toContain('native     1/1  100 %')
    expect(stdout).toContain('native · lamp: not counted: ')
    expect(stderr).toContain('Bad schema. (MODEL_BAD_REQUEST)')
    // What failed is tried again.
    requests = 2
    await inProcess(args, { cwd: folder, env })
    expect((await report(file)).cases.map(({ run, error }) => [run, error?.code])).toEqual([
      [3, undefined],
      [1, undefined],
      [2, 'MODEL_BAD_REQUEST'],
      [4, 'MODEL_BAD_REQUEST'],
    ])
  })

  test('a model without native calls is tried in the other syntaxes', async () => {
    const folder = await tasksIn({ 'lamp.json': lamp })
    const tasks = await readTasks(folder)
    const { env } = await serveTrial(tasks, question =>
      question.request.body.tools === undefined
        ? perfect(question)
        : { status: 400, body: { error: { message: 'registry.ollama.ai/test does not support tools' } } },
    )
    const args = ['trial', ...MODEL, '--tasks', folder, '--syntax', 'native,xml', '--runs', '2']
    const { status, stdout } = await inProcess(args, { cwd: folder, env })
    expect(status).toBe(0)
    expect(stdout).toMatch(/^xml {8}2\/2/m)
    expect(stdout).toContain('Not tried: native. ')
  })
})

test('the models inside of Argot can be tried', async () => {
  const recording = '<user>\nSet the lamp to 40.\n</user>\n<assistant>\nHello, it is at 40.\n</assistant>\n'
  const folder = await tasksIn({ 'lamp.json': lamp, 'talk.json': talk, 'chat.chatmd': recording })
  const run = async (model: string): Promise<TrialReport> => {
    const args = ['trial', '--model', model, '--tasks', folder, '--json']
    const { status, stdout } = await inProcess(args, { cwd: folder })
    expect(status).toBe(0)
    return JSON.parse(stdout)
  }
  const demo = await run('demo')
  expect(new Set(demo.cases.map(({ syntax }) => syntax))).toEqual(
    new Set(['native', 'xml', 'caret', 'callout', 'fence']),
  )
  const replay = await run(`replay:${join(folder, 'chat.chatmd')}`)
  expect(replay.cases.filter(({ solved }) => solved).map(({ task }) => task)).toEqual(Array(5).fill('talk'))
})

test('a model of a known family is tried in its dialect too', async () => {
  const folder = await tasksIn({ 'lamp.json': lamp })
  const { env } = await serveTrial(await readTasks(folder), perfect)
  const args = ['trial', '--model', 'openai-compatible:qwen3-coder-30b', '--tasks', folder, '--json']
  const { stdout } = await inProcess(args, { cwd: folder, env })
  const { cases } = JSON.parse(stdout) as TrialReport
  expect(cases.map(({ syntax }) => syntax)).toEqual(['native', 'xml', 'caret', 'callout', 'fence', 'qwen3-coder'])
  expect(cases.every(({ solved }) => solved)).toBe(true)
})
