import { accumulate, describeCall, type ToolInvocation, toolCalls } from '@argot/core'
import { type CallLocale, english } from '@argot/core/stream'
import type { CallDescription, DescribeCallOptions } from '@argot/core/stream/internal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import { fixture, fixtures } from '../stream/fixtures.ts'

const base: ToolInvocation = { key: 'c', toolCallId: 'c', toolName: 'read_file', state: 'input-available' }

function say(call: Partial<ToolInvocation>, options?: DescribeCallOptions): CallDescription {
  return describeCall({ ...base, ...call }, options)
}

/** The row as a person reads it. */
function row(call: Partial<ToolInvocation>, options?: DescribeCallOptions): string {
  const { verb, subject, result, progress, duration } = say(call, options)
  return [verb, subject, result, progress, duration].filter(one => one !== undefined).join(' | ')
}

const npm: Partial<ToolInvocation> = { toolName: 'run_command', input: { command: 'npm test' }, startedAt: 1000 }
const write: Partial<ToolInvocation> = { toolName: 'write_file', input: { path: 'a.md', content: 'x' } }

describe('the states of a call', () => {
  const coded = (code: string) => ({ resultProviderMetadata: { argot: { code } } })
  const interrupted = coded('TOOL_INTERRUPTED')
  const long = { path: 'reader.ts', content: 'x'.repeat(2100) }

  test.each<[string, Partial<ToolInvocation>, DescribeCallOptions, string, string]>([
    ['input streams', { ...write, state: 'input-streaming' }, {}, 'writing', 'Writing | a.md'],
    [
      'much input',
      { ...write, state: 'input-streaming', input: long },
      {},
      'writing',
      'Writing | reader.ts | 2,109 characters',
    ],
    ['input of what is not yet', { ...npm, state: 'input-streaming' }, {}, 'writing', 'Will run | npm test'],
    ['no input yet', { state: 'input-streaming' }, {}, 'writing', 'Will read file'],
    ['queued', npm, { started: false }, 'queued', 'Will run | npm test'],
    ['running', npm, {}, 'running', 'Running | npm test'],
    ['running, no clock yet', npm, { now: 3900 }, 'running', 'Running | npm test'],
    ['running with a clock', npm, { now: 4000 }, 'running', 'Running | npm test | 3.0 s'],
    ['running for long', npm, { now: 73_000 }, 'running', 'Running | npm test | still running | 1 min 12 s'],
    [
      'preliminary output',
      { ...npm, state: 'output-available', preliminary: true, output: 'a\n10 %\n' },
      {},
      'running',
      'Running | npm test | 10 %',
    ],
    [
      'a line drawn over',
      { ...npm, state: 'output-available', preliminary: true, output: '10 %\r20 %\r' },
      { now: 99_000 },
      'running',
      'Running | npm test | 20 % | 1 min 38 s',
    ],
    [
      'progress in an object',
      { ...npm, state: 'output-available', preliminary: true, output: { progress: 'half' } },
      {},
      'running',
      'Running | npm test | half',
    ],
    [
      'a preliminary list',
      { ...npm, state: 'output-available', preliminary: true, output: [1, 2] },
      {},
      'running',
      'Running | npm test | 2 items',
    ],
    ['needs you', { ...npm, state: 'approval-requested' }, {}, 'asking', 'Wants to run | npm test | needs you'],
    [
      'approved',
      { ...npm, state: 'approval-responded', approval: { id: 'a', approved: true } },
      {},
      'approved',
      'Will run | npm test | approved by you',
    ],
    [
      'approved by somebody',
      { ...npm, state: 'approval-responded', approval: { id: 'a', approved: true, by: 'Ada' } },
      {},
      'approved',
      'Will run | npm test | approved by Ada',
    ],
    [
      'approved and started',
      { ...npm, state: 'approval-responded', approval: { id: 'a', approved: true } },
      { started: true },
      'running',
      'Running | npm test',
    ],
    [
      'done',
      { ...npm, state: 'output-available', output: 'ok', endedAt: 9400 },
      {},
      'done',
      'Ran | npm test | ok | 8.4 s',
    ],
    [
      'done after a line drawn over',
      { ...npm, state: 'output-available', output: '10 %\r50 %\r75 %\r100 %\rinstalled\r\n' },
      {},
      'done',
      'Ran | npm test | installed',
    ],
    [
      'failed',
      { input: { path: 'a.ts' }, state: 'output-error', errorText: 'No file.' },
      {},
      'failed',
      'Could not read | a.ts',
    ],
    [
      'failed with a status',
      { ...npm, state: 'output-available', output: 'x', details: { exitCode: 1 }, endedAt: 9400 },
      {},
      'failed',
      'Ran | npm test | failed · exit 1 | 8.4 s',
    ],
    [
      'an error with a status',
      { ...npm, state: 'output-error', errorText: 'npm exited with code 2.' },
      {},
      'failed',
      'Ran | npm test | failed · exit 2',
    ],
    [
      'a command that failed has run, whatever the error says',
      { ...npm, state: 'output-error', errorText: 'Command failed: npm test\n2 tests failed' },
      {},
      'failed',
      'Ran | npm test | failed',
    ],
    [
      'a command that was ended by a signal',
      { ...npm, state: 'output-available', output: 'x', details: { exitCode: null, signal: 'SIGKILL' } },
      {},
      'failed',
      'Ran | npm test | failed · SIGKILL',
    ],
    [
      'a command that took too long has run',
      { ...npm, state: 'output-error', errorText: 'Too long.', ...coded('TOOL_COMMAND_TIMEOUT') },
      {},
      'failed',
      'Ran | npm test | failed',
    ],
    [
      'a command that could not be started',
      { ...npm, state: 'output-error', errorText: 'x', ...coded('TOOL_COMMAND_NOT_FOUND') },
      {},
      'failed',
      'Could not run | npm test',
    ],
    [
      'a command that could not be started, without a code',
      { ...npm, state: 'output-error', errorText: 'spawn npm ENOENT' },
      {},
      'failed',
      'Could not run | npm test',
    ],
    [
      'refused by a policy',
      { ...npm, state: 'output-error', errorText: '`run` was not run.', ...coded('TOOL_NOT_ALLOWED') },
      {},
      'denied',
      'Not run | npm test | not approved',
    ],
    [
      'no one could be asked',
      { ...npm, state: 'output-error', errorText: '`run` was not run.', ...coded('TOOL_NEEDS_APPROVAL') },
      {},
      'denied',
      'Not run | npm test | not approved',
    ],
    [
      'over a limit',
      { state: 'output-error', rawInput: 'x', settledBy: 'limit', errorText: 'Too long.' },
      {},
      'failed',
      'Could not read file',
    ],
    [
      'denied',
      { ...write, state: 'output-denied', approval: { id: 'a', approved: false } },
      {},
      'denied',
      'Not written | a.md | you denied it',
    ],
    [
      'denied by somebody',
      { ...npm, state: 'output-denied', approval: { id: 'a', approved: false, by: 'Ada' } },
      {},
      'denied',
      'Not run | npm test | denied by Ada',
    ],
    [
      'denied, not settled yet',
      { ...npm, state: 'approval-responded', approval: { id: 'a', approved: false } },
      {},
      'denied',
      'Not run | npm test | you denied it',
    ],
    [
      'stopped',
      { ...npm, state: 'output-error', settledBy: 'abort', errorText: 'Stopped.', endedAt: 13_000 },
      {},
      'stopped',
      'Stopped running | npm test | 12 s',
    ],
    [
      'stopped while it asked',
      { ...npm, state: 'output-error', settledBy: 'abort', errorText: 'x', approval: { id: 'a' }, endedAt: 13_000 },
      {},
      'stopped',
      'Not run | npm test | stopped',
    ],
    [
      'stopped while its input was written',
      {
        ...npm,
        state: 'output-error',
        settledBy: 'abort',
        errorText: 'x',
        rawInput: '{"command":"npm',
        endedAt: 13_000,
      },
      {},
      'stopped',
      'Not run | npm test | stopped',
    ],
    [
      'stopped after it was approved',
      { ...npm, state: 'output-error', settledBy: 'abort', errorText: 'x', approval: { id: 'a', approved: true } },
      {},
      'stopped',
      'Stopped running | npm test',
    ],
    [
      'the run failed',
      { ...npm, state: 'output-error', settledBy: 'error', errorText: 'x' },
      {},
      'stopped',
      'Stopped running | npm test',
    ],
    [
      'the stream ended',
      { ...npm, state: 'output-error', settledBy: 'end', errorText: 'x' },
      {},
      'stopped',
      'Stopped running | npm test',
    ],
    [
      'interrupted',
      { ...write, state: 'output-error', errorText: 'x', ...interrupted },
      {},
      'interrupted',
      'Was writing | a.md | interrupted: its effect is unknown',
    ],
    [
      'input broken',
      { state: 'output-error', rawInput: '{"path":', errorText: 'Not JSON.' },
      {},
      'broken',
      'The call could not be read: | read_file',
    ],
  ])('%s', (_, call, options, state, expected) => {
    expect(row(call, options)).toBe(expected)
    expect(say(call, options).state).toBe(state)
  })

  test.each<[string, Partial<ToolInvocation>, string | undefined]>([
    [
      'the first lines of an error',
      { state: 'output-error', errorText: 'One.\n\nTwo.\nThree.\nFour.' },
      'One.\nTwo.\nThree.',
    ],
    [
      'the last lines of a program',
      { ...npm, state: 'output-available', output: 'a\nb\nc\nd\n', details: { exitCode: 1 } },
      'b\nc\nd',
    ],
    [
      'the last version of a line drawn over, and \\r\\n breaks lines',
      { ...npm, state: 'output-available', output: 'a\r\n10 %\r20 %\r30 %\nb\r\n', details: { exitCode: 1 } },
      'a\n30 %\nb',
    ],
    [
      'without a line drawn over with spaces',
      { ...npm, state: 'output-available', output: 'a\n99 %\r    \r\nb\nc', details: { exitCode: 1 } },
      'a\nb\nc',
    ],
    [
      'why a person said no',
      { ...npm, state: 'output-denied', approval: { id: 'a', approved: false, reason: 'Too\tearly.' } },
      'Too early.',
    ],
    [
      'the lines of an error with their white space',
      { state: 'output-error', errorText: 'x = 1 +\n      ^\n\tat a.ts:1' },
      'x = 1 +\n      ^\n\tat a.ts:1',
    ],
    [
      'without the escapes of a terminal',
      {
        ...npm,
        state: 'output-available',
        output: '\u001b[31m✗\u001b[39m  one\n\u001b]8;;https://a.b\u0007two\u001b]8;;\u0007\n\u001b(Bthree',
        details: { exitCode: 1 },
      },
      '✗  one\ntwo\nthree',
    ],
    [
      'why a policy refused',
      { ...npm, state: 'output-error', errorText: 'The policy is `none`.', ...coded('TOOL_NOT_ALLOWED') },
      'The policy is `none`.',
    ],
    ['what is wrong with the text', { state: 'output-error', rawInput: '{', errorText: 'Not JSON.' }, 'Not JSON.'],
    ['nothing where nobody said why', { ...npm, state: 'output-denied' }, undefined],
    [
      'nothing where the run was stopped',
      { ...npm, state: 'output-error', settledBy: 'abort', errorText: 'x' },
      undefined,
    ],
    ['nothing where all went well', { ...npm, state: 'output-available', output: 'x' }, undefined],
  ])('the reason is %s', (_, call, reason) => {
    expect(say(call).reason).toBe(reason)
  })
})

describe('the verb', () => {
  const done = { state: 'output-available' } as const

  test.each([
    ['read_file', { path: 'a' }, 'Read a'],
    ['readFile', { path: 'a' }, 'Read a'],
    ['search_files', { query: 'a' }, 'Searched files a'],
    ['grep', { path: 'src', pattern: 'a' }, 'Searched a'],
    ['searchFiles', { path: 'src', query: 'a' }, 'Searched files a'],
    ['files__search', { path: 'src', regex: 'a' }, 'Searched a'],
    ['glob', { pattern: '*.ts' }, 'Found *.ts'],
    ['read_dir', { path: 'src' }, 'Listed src'],
    ['find_and_replace', { path: 'a', search: 'b' }, 'Edited a'],
    ['append_to_file', { path: 'a' }, 'Appended to a'],
    ['webpage_to_markdown', { url: 'b.org' }, 'Fetched b.org'],
    ['fetch_page', { url: 'b.org' }, 'Fetched b.org'],
    ['get_current_weather', { city: 'Oslo' }, 'Got current weather Oslo'],
    ['web_search', { query: 'a' }, 'Searched web a'],
    ['github__create_issue', { title: 'a' }, 'Created issue a'],
    ['files.delete', { path: 'a' }, 'Deleted a'],
    ['move', { path: 'a' }, 'Moved a'],
    ['list-users', {}, 'Listed users'],
    ['send_mail', { to: 'ada' }, 'Sent mail ada'],
    ['open_url', { url: 'b.org' }, 'Opened b.org'],
    ['run_tests', {}, 'Ran tests'],
    ['bash', { command: 'ls' }, 'Ran ls'],
  ])('of %s %j is in the name: %s', (toolName, input, expected) => {
    const { verb, subject, isName } = say({ toolName, input, ...done })
    expect([verb, subject].filter(Boolean).join(' ')).toBe(expected)
    expect(isName).toBe(false)
  })

  test.each(['git_log', 'constructor', '__proto__', 'toString', 'hasOwnProperty', 'readme'])(
    'is the name of %s where no verb is in it, and the sentence says the state',
    toolName => {
      expect(say({ toolName, ...done })).toMatchObject({ verb: toolName, isName: true, sentence: `${toolName}, done` })
      expect(say({ toolName }).sentence).toBe(`${toolName}, running`)
    },
  )

  test('of a title is conjugated where it begins with one, else the title is the name', () => {
    expect(row({ title: 'Get the weather', input: { city: 'Oslo' } })).toBe('Getting the weather | Oslo')
    expect(say({ title: 'Weather', ...done })).toMatchObject({ verb: 'Weather', isName: true })
    const path = { input: { path: 'a.ts' } }
    expect(row({ title: 'Replace in file', ...path })).toBe('Editing | a.ts')
    expect(row({ title: 'Read web page', input: { url: 'b.org' } })).toBe('Reading | b.org')
    expect(row({ title: 'Replace in file' })).toBe('Editing in file')
    expect(row({ title: 'Weather' }, { presentation: { title: 'Find weather' } })).toBe('Finding weather')
  })

  test('can be given, and a tool that runs a program runs it', () => {
    const verb = { doing: 'Asking', done: 'Asked', base: 'ask' }
    expect(row({ toolName: 'oracle', state: 'approval-requested' }, { presentation: { verb } })).toBe(
      'Wants to ask | needs you',
    )
    const rg = { toolName: 'rg', input: { arguments: ['--json', 'a b'] } }
    expect(row(rg, { presentation: { effect: 'exec' } })).toBe('Running rg | --json a b')
    expect(row(rg, { presentation: { effect: 'read' } })).toBe('rg | --json a b')
  })
})

describe('the subject', () => {
  test.each<[string, unknown, string | undefined]>([
    ['a path before anything else', { content: 'x', query: 'q', path: 'a.ts' }, 'a.ts'],
    ['a query before a name', { name: 'n', query: 'q' }, 'q'],
    ['a question before the choices', { options: ['a', 'b'], question: 'Which one?' }, 'Which one?'],
    ['an id that is a number', { id: 7 }, '7'],
    ['a command in words', { command: ['npm', 'run', 'x'] }, 'npm run x'],
    ['the first two short values', { body: 'x'.repeat(81), city: 'Oslo', land: 'Norway', zip: 1 }, 'Oslo · Norway'],
    ['no option', { limit: 3, unit: 'celsius', city: 'Oslo' }, 'Oslo'],
    ['two ends', { from: 'LHR', to: 'JFK', seats: 2 }, 'LHR → JFK'],
    ['an issue', { owner: 'acme', repo: 'app', issue_number: 7 }, 'acme/app #7'],
    ['the file of a patch', { patch: '--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-a\n+b\n' }, 'x.ts'],
    ['how many there are in a list', { dry_run: true, old_files: ['a', 'b'] }, '2 old files'],
    ['the only one of a list', { paths: ['a.ts'] }, 'a.ts'],
    ['a text input', 'SELECT 1\nFROM x', 'SELECT 1 FROM x'],
    ['nothing of an empty path', { path: ' ', flag: true }, undefined],
    ['nothing of inherited fields', Object.create({ path: 'a' }), undefined],
    ['nothing of a list', [1, 2], undefined],
    ['nothing of nothing', undefined, undefined],
    ['one line', { command: 'a\n  b\tc' }, 'a b c'],
    ['the beginning of a long one', { path: 'x'.repeat(1000) }, `${'x'.repeat(200)}…`],
    ['a field with a hostile name', JSON.parse('{"__proto__": "p", "constructor": {}}'), 'p'],
  ])('is %s', (_, input, subject) => {
    expect(say({ toolName: 'tool', input }).subject).toBe(subject)
  })

  test('is what the tool names, as far as it is there', () => {
    const presentation = { subject: 'city' }
    expect(say({ input: { path: 'a', city: 'Oslo' } }, { presentation }).subject).toBe('Oslo')
    expect(say({ input: { path: 'a' } }, { presentation }).subject).toBe('a')
    expect(say({ input: {} }, { presentation: { subject: '__proto__' } }).subject).toBe(undefined)
  })

  test('is the first file that a patch changed', () => {
    const details = [
      { path: 'a.ts', added: 1, removed: 2 },
      { path: 'b.ts', added: 3, removed: 0 },
    ]
    const call = {
      toolName: 'apply_patch',
      input: { patch: 'x\n'.repeat(90) },
      state: 'output-available',
      details,
    } as const
    expect(row({ ...call, output: 'M a.ts' })).toBe('Edited | a.ts +1 | +4 −2')
  })

  test('grows while the input streams', () => {
    const folding = accumulate()
    const seen: (string | undefined)[] = []
    folding.push({ type: 'tool-input-start', toolCallId: 'c', toolName: 'run_command' })
    for (const inputTextDelta of ['{"comm', 'and":"npm', ' te', 'st"', '}']) {
      folding.push({ type: 'tool-input-delta', toolCallId: 'c', inputTextDelta })
      seen.push(describeCall(toolCalls(folding.message!)[0]!).subject)
    }
    expect(seen).toEqual([undefined, 'npm', 'npm te', 'npm test', 'npm test'])
  })
})

test('a picture is named once', () => {
  const value = [{ type: 'file-data', data: '', mediaType: 'image/png', filename: 'a.png' }]
  const call = { toolName: 'import_image', title: 'Look at image', input: { path: 'a.png' } }
  const done = { ...call, state: 'output-available', output: { type: 'content', value } } as const
  expect(row(done)).toBe('Looked at image | a.png')
})

test('a denial that follows no question is not yours', () => {
  const folding = accumulate()
  folding.push({ type: 'tool-input-available', toolCallId: 'c', toolName: 'run', input: { command: 'ls' } })
  folding.push({ type: 'tool-output-denied', toolCallId: 'c', reason: 'Not on Fridays.' })
  const call = toolCalls(folding.message!)[0]!
  expect(row(call)).toMatch(/^Not run \| ls \| denied by policy/)
  expect(describeCall(call).reason).toBe('Not on Fridays.')
})

describe('the result', () => {
  const file = (filename: string) => ({
    type: 'content',
    value: [{ type: 'file-data', data: '', mediaType: 'image/png', filename }],
  })
  const hunk = '@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d\n'
  const files = `--- a\n+++ b\n${hunk}--- c\n+++ d\n${hunk}`

  test.each<[string, unknown, unknown, string | undefined]>([
    ['lines of a text', 'a\nb\nc', undefined, '3 lines'],
    ['lines of a text that ends', 'a\nb\nc\n', undefined, '3 lines'],
    ['one long line', 'x'.repeat(25), undefined, '1 line'],
    ['a short text', 'x'.repeat(24), undefined, 'x'.repeat(24)],
    ['a short text with its end', 'ok\n', undefined, 'ok'],
    ['two short lines', 'a\nb', undefined, '2 lines'],
    ['a thousand lines', 'a\n'.repeat(1240), undefined, '1,240 lines'],
    ['nothing of an empty text', '', undefined, undefined],
    ['nothing of blanks', ' \n', undefined, undefined],
    ['a list', [1, 2, 3], undefined, '3 items'],
    ['a list of one', ['a'], undefined, '1 item'],
    ['an empty list', [], undefined, '0 items'],
    ['matches', { matches: [1, 2] }, undefined, '2 matches'],
    ['one match', { matches: [1] }, undefined, '1 match'],
    ['results', { results: [] }, undefined, '0 results'],
    ['items', { items: [1] }, undefined, '1 item'],
    ['a number', 1204, undefined, '1,204'],
    ['a long number', -123_456_789_012_345_680_000, undefined, '-123,456,789,012,345,680,000'],
    ['a number of hundreds of digits', -1e151, undefined, '-1e+151'],
    ['the largest number', Number.MAX_VALUE, undefined, '1.7976931348623157e+308'],
    ['nothing less than nothing', -0, undefined, '0'],
    ['a number as text', '12345678901234567890', undefined, '12345678901234567890'],
    ['the status of no program', '', { exitCode: -1e300 }, 'failed · exit -1e+300'],
    ['nothing of what is not finite', Number.NEGATIVE_INFINITY, undefined, undefined],
    ['the name of a file', file('a.png'), undefined, 'a.png'],
    ['a short text in colours', '\u001b[32mok\u001b[0m', undefined, 'ok'],
    ['the name of a file as one line', file('a\n b.png'), undefined, 'a b.png'],
    ['the beginning of a long name', file('x'.repeat(1000)), undefined, `${'x'.repeat(80)}…`],
    ['that there is a file without a name', file(' \n'), undefined, '1 file'],
    ['true', true, undefined, 'true'],
    ['nothing of null', null, undefined, undefined],
    ['nothing of objects that say nothing', { ok: true, _meta: 1, created_at: 5 }, undefined, undefined],
    ['up to three values', { a: 1, b: 'x', rows: 4, d: 'y' }, undefined, 'a 1 · x · 4 rows'],
    ['an id with a link', { id: 12, url: 'https://a.org/12' }, undefined, '#12 ↗'],
    ['no link but one of the web', { id: 12, url: 'javascript:alert(1)' }, undefined, '#12 · javascript:alert(1)'],
    ['the host of a link', { url: 'https://www.a.org/x' }, undefined, 'a.org ↗'],
    ['the data of MCP', { content: [{ type: 'text', text: '{"temperature":22}' }] }, undefined, '22°'],
    ['what says that it failed', { success: false, message: 'No  seats' }, undefined, 'failed · No seats'],
    ['nothing of what is not a number', Number.NaN, undefined, undefined],
    ['a status', 'a\nb', { exitCode: 0 }, 'exit 0'],
    ['a status in the output', { exit_code: 0, stdout: '' }, undefined, 'exit 0'],
    ['a diff in the details', 'Changed.', { diff: hunk }, '+2 −1'],
    ['a diff', files, undefined, '+4 −2'],
    ['counts of lines', 'ok', { added: 12, removed: 3 }, '+12 −3'],
    ['no diff of a text with dashes', '- a\n- b\n', undefined, '2 lines'],
    ['what the tool says', 'a\nb', { summary: ' All  fine. ', exitCode: 0 }, 'All fine.'],
    ['not what it does not say', 'ok', { summary: '' }, 'ok'],
  ])('is %s', (_, output, details, result) => {
    expect(say({ state: 'output-available', output, details }).result).toBe(result)
  })
})

test.each([
  [0, '0.0 s'],
  [449, '0.4 s'],
  [8449, '8.4 s'],
  [9999, '9.9 s'],
  [42_900, '42 s'],
  [59_999, '59 s'],
  [185_000, '3 min 5 s'],
  [-5, '0.0 s'],
])('%i ms are %s', (endedAt, duration) => {
  expect(say({ state: 'output-available', startedAt: 0, endedAt }).duration).toBe(duration)
})

test.each<[Partial<ToolInvocation>, DescribeCallOptions, string]>([
  [
    { input: { path: 'src/log/reader.ts' }, state: 'output-available', output: 'a\n'.repeat(84) },
    {},
    'Read src/log/reader.ts, 84 lines, done',
  ],
  [
    { ...npm, state: 'output-available', output: '', details: { exitCode: 1 }, endedAt: 9400 },
    {},
    'Ran npm test, failed, exit 1, 8.4 s',
  ],
  [
    { input: { path: 'a' }, state: 'output-error', errorText: 'No.', startedAt: 0, endedAt: 200 },
    {},
    'Could not read a, failed: No.',
  ],
  [npm, { now: 73_000 }, 'Running npm test, still running, 1 min 12 s'],
  [npm, { started: false }, 'Will run npm test, queued'],
  [{ ...write, state: 'input-streaming' }, {}, 'Writing a.md, being written'],
  [{ ...npm, state: 'approval-requested' }, {}, 'Wants to run npm test, needs you'],
  [
    { ...npm, state: 'approval-responded', approval: { id: 'a', approved: true } },
    {},
    'Will run npm test, approved by you',
  ],
  [{ ...npm, state: 'output-denied' }, {}, 'Not run npm test, you denied it'],
  [{ state: 'output-error', rawInput: 'x', errorText: 'x' }, {}, 'The call could not be read: read_file, failed: x'],
])('a screen reader says: %s', (call, options, sentence) => {
  expect(say(call, options).sentence).toBe(sentence)
})

test('another language has its own words, numbers and order', () => {
  const german: CallLocale = {
    ...english,
    verbs: { read: { doing: 'Liest', done: 'Gelesen', base: 'lesen' } },
    say: (tense, { doing, done, base }) => (tense === 'doing' ? doing : tense === 'done' ? done : `Will ${base}`),
    states: { ...english.states, done: 'fertig' },
    count: count => `${count} Zeilen`,
  }
  const call = { input: { path: 'a' }, state: 'output-available', output: 'x\ny\n' } as const
  expect(say(call, { locale: german }).sentence).toBe('Gelesen a, 2 Zeilen, fertig')
  expect(row({ ...call, toolName: 'write_file' }, { locale: german })).toBe('write_file | a | 2 Zeilen')
  const french: CallLocale = { ...english, number: () => '1\u202f204' }
  expect(say({ state: 'output-available', output: 1204 }, { locale: french }).result).toBe('1\u202f204')
})

test('whatever a locale, a verb or a name says is one short line', () => {
  const long = `a\n${'b '.repeat(3000)}`
  const wordy: CallLocale = {
    ...english,
    say: () => long,
    approvedBy: () => long,
    stillRunning: long,
    count: () => long,
    number: () => long,
    duration: () => long,
  }
  const verb = { doing: long, done: long, base: long }
  for (const said of [
    say({ state: 'output-available', output: [1], startedAt: 0, endedAt: 5000 }, { locale: wordy }),
    say({ state: 'output-available', output: 7, preliminary: true }, { locale: wordy }),
    say({ startedAt: 0 }, { locale: wordy, now: 99_000 }),
    say({ state: 'approval-responded', approval: { id: 'a', approved: true } }, { locale: wordy }),
    say({ state: 'output-error', settledBy: 'abort' }, { presentation: { verb } }),
    say({ toolName: `append${'Aa'.repeat(61)}`, state: 'output-error', settledBy: 'abort' }),
  ]) {
    const { verb: first, result = '', progress = '', duration = '', sentence } = said
    for (const text of [first, result, progress, duration]) expect(text.length).toBeLessThanOrEqual(201)
    expect(sentence).not.toMatch(/[\r\n]/)
    expect(sentence.length).toBeLessThan(1000)
  }
})

test.each(fixtures)('every call of the recorded stream %s is described at every chunk', name => {
  const folding = accumulate({ now: () => 0 })
  for (const chunk of fixture(name)) {
    folding.push(chunk)
    for (const call of toolCalls(folding.message!)) {
      const { verb, sentence } = describeCall(call, { now: 5000 })
      expect(sentence.startsWith(verb)).toBe(true)
    }
  }
})

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 3000 }),
  fc.constantFrom(
    '__proto__',
    'a\n'.repeat(5000),
    '\ud800'.repeat(300),
    '@@ -1 +1 @@\n',
    'exit 1',
    '\r\r\n',
    ' '.repeat(9000),
  ),
)
const anyValue = fc.oneof(
  fc.anything({ withBigInt: true, withNullPrototype: true, withSparseArray: true, withTypedArray: true }),
  anyText,
  fc.dictionary(
    fc.oneof(
      fc.constantFrom(
        ...['path', 'command', 'matches', 'summary', 'exitCode', 'diff', 'added', 'url', 'id', 'error', 'from', 'to'],
        ...['old_string', 'new_string', 'content', 'patch', 'temperature', 'results', 'edits'],
      ),
      anyText,
    ),
    anyText,
  ),
)
const anyCall = fc.record(
  {
    toolName: anyText,
    state: fc.constantFrom(
      ...(['input-streaming', 'input-available', 'approval-requested', 'approval-responded'] as const),
      ...(['output-available', 'output-error', 'output-denied'] as const),
    ),
    input: anyValue,
    rawInput: anyValue,
    output: anyValue,
    details: anyValue,
    errorText: anyText,
    approval: fc.record({ id: anyText, approved: fc.boolean(), reason: anyText, by: anyText }, { requiredKeys: [] }),
    preliminary: fc.boolean(),
    title: anyText,
    settledBy: fc.constantFrom('abort', 'error', 'end', 'limit'),
    resultProviderMetadata: fc.oneof(anyValue, fc.constant({ argot: { code: 'TOOL_INTERRUPTED' } })),
    startedAt: fc.double(),
    endedAt: fc.double(),
  },
  { requiredKeys: ['toolName', 'state'] },
)

/** What turns the order of letters round, hides, or drives a terminal. */
const harmful = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

test('whatever a call holds, it is described without a throw, in short lines of whole characters', () => {
  fc.assert(
    fc.property(
      anyCall,
      fc.record({ now: fc.double(), started: fc.boolean() }, { requiredKeys: [] }),
      (call, options) => {
        const said = describeCall(call as unknown as ToolInvocation, options)
        expect(Object.values(said)).not.toContain(undefined)
        const { verb, subject = '', result = '', progress = '', reason = '', duration = '', sentence } = said
        for (const text of [verb, subject, result, progress, duration, sentence]) expect(text).not.toMatch(/[\r\n]/)
        const { hosts, more } = said.sources ?? { hosts: [], more: 0 }
        expect(hosts.length + more).toBeLessThanOrEqual(100)
        for (const text of [verb, subject, result, ...hosts]) expect(text).not.toMatch(harmful)
        for (const text of [verb, subject, result, progress, ...hosts, ...reason.split('\n')]) {
          expect(text.length).toBeLessThanOrEqual(202)
          expect(text.isWellFormed()).toBe(true)
        }
        expect(verb).not.toBe('')
        expect(reason.split('\n').length).toBeLessThanOrEqual(3)
        expect(sentence.length).toBeLessThan(1000)
      },
    ),
    {
      numRuns: shareOf(3000),
      examples: [[{ toolName: '', state: 'output-available', preliminary: true, output: -1e151 }, {}]],
    },
  )
})

test('a number is written as the English locale writes it', () => {
  const thousandths = fc.integer().map(value => value / 1000)
  const long = fc.maxSafeInteger().map(value => value * 1024)
  fc.assert(
    fc.property(fc.oneof(fc.integer(), fc.maxSafeInteger(), thousandths, long), value => {
      expect(english.number(value)).toBe(value.toLocaleString('en'))
    }),
    { examples: [[-98_569_282_573_931], [9_007_199_254_740.5], [2 ** 60]] },
  )
})

test('a number of any length is written in a few characters that stand for it', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), value => {
      const written = english.number(value)
      expect(written.length).toBeLessThanOrEqual(30)
      const read = Number(written.replaceAll(',', ''))
      expect(Math.abs(read - value)).toBeLessThanOrEqual(Math.abs(value) < 1e15 ? 0.0011 : 0)
    }),
  )
})
