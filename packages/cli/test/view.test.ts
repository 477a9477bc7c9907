import { PassThrough } from 'node:stream'
import type { Chunk } from '@argot/core'
import { Commentary } from '@argot/core/stream'
import { describe, expect, test } from 'vitest'
import { measureWidth } from '../src/io/width.ts'
import { Screen } from '../src/view/screen.ts'
import { TerminalView } from '../src/view/terminal-view.ts'
import { FakeTerminal } from './terminal.ts'

interface Shown {
  terminal: FakeTerminal
  view: TerminalView
  /** Lets time go by, and draws a frame. */
  tick: (milliseconds: number) => void
  errors: () => string
}

function show(
  options: { columns?: number; rows?: number; colours?: boolean; canMove?: boolean; model?: string } = {},
): Shown {
  const terminal = new FakeTerminal(options.columns ?? 60, options.rows ?? 24)
  const stderr = new PassThrough()
  let time = 0
  let frame: (() => void) | undefined
  const view = new TerminalView({
    out: terminal,
    errors: stderr,
    colours: options.colours ?? true,
    canMove: options.canMove ?? true,
    now: () => time,
    model: options.model === undefined ? undefined : () => options.model,
    every: (_, action) => {
      frame = action
      return () => {
        frame = undefined
      }
    },
  })
  return {
    terminal,
    view,
    tick: milliseconds => {
      time += milliseconds
      frame?.()
    },
    errors: () => String(stderr.read() ?? ''),
  }
}

function text(id: string, words: string, phase?: 'commentary' | 'final' | 'remainder'): Chunk[] {
  const providerMetadata = phase === undefined ? {} : { providerMetadata: { argot: { phase } } }
  return [
    { type: 'text-start', id, ...(phase === 'remainder' && providerMetadata) },
    ...[...words].map((delta): Chunk => ({ type: 'text-delta', id, delta })),
    { type: 'text-end', id, ...providerMetadata },
  ]
}

function open(toolCallId: string, toolName: string, input: unknown): Chunk[] {
  return [
    { type: 'tool-input-start', toolCallId, toolName },
    { type: 'tool-input-delta', toolCallId, inputTextDelta: JSON.stringify(input) },
    { type: 'tool-input-available', toolCallId, toolName, input },
  ]
}

const output = (toolCallId: string, value: unknown): Chunk => ({
  type: 'tool-output-available',
  toolCallId,
  output: value,
})

/** What decides for each view what its texts are for, as a loop does. */
const deciders = new WeakMap<TerminalView, Commentary>()

function push(view: TerminalView, ...chunks: readonly (Chunk | readonly Chunk[])[]): void {
  const decider = deciders.get(view) ?? new Commentary(chunk => void view.push(chunk))
  deciders.set(view, decider)
  for (const chunk of chunks.flat() as Chunk[]) decider.push(chunk)
}

describe('the view of a run on a terminal', () => {
  test('shows text as it comes, a line per call, and the answer', async () => {
    const { terminal, view, tick } = show()
    push(view, { type: 'start' }, { type: 'start-step' })
    push(view, text('t1', 'I look.\n\n', 'commentary'), open('c1', 'read_file', { path: 'a.md' }))
    tick(100)
    expect(terminal.text).toBe('I look.\n⠙ Reading a.md')
    tick(3400)
    expect(terminal.text).toBe('I look.\n⠹ Reading a.md · 3.5 s')
    push(view, output('c1', 'one\ntwo\nthree'), { type: 'finish-step' }, { type: 'start-step' })
    push(view, text('t2', '\n\nIt says “one”.', 'final'), { type: 'finish-step' }, { type: 'finish' })
    await view.end()
    expect(terminal.text).toBe('I look.\n✔ Read a.md · 3 lines · 3.5 s\n  └ one\n\nIt says “one”.')
    expect(terminal.strange).toEqual([])
  })

  test('shows only the last version of a line that a program drew over', async () => {
    const { terminal, view } = show()
    push(view, open('c1', 'ls', {}), output('c1', '10 %\r20 %\rdone\r\nmore'))
    await view.end()
    expect(terminal.text).toBe('✔ Listed · 2 lines\n  └ done')
  })

  test('shows the first line that is left after a program has cleared its progress', async () => {
    const { terminal, view } = show()
    push(view, open('c1', 'deploy', {}), output('c1', '99 %\r    \r\n\u001b[2K\ninstalled\nmore'))
    await view.end()
    expect(terminal.text).toMatch(/\n {2}└ installed$/)
  })

  test('names the files of an output in their place, and never prints their data', async () => {
    const { terminal, view } = show()
    const image = { type: 'image', data: 'iVBORw0KGgo'.repeat(50), mimeType: 'image/png' }
    push(view, open('c1', 'ls', {}), output('c1', { content: [{ type: 'text', text: 'Here:' }, image] }))
    push(view, open('c2', 'ls', {}), output('c2', [image, { type: 'text', text: 'That was it.' }]))
    await view.end()
    expect(terminal.text).toContain('✔ Listed · image/png\n  └ Here: (+1 line)')
    expect(terminal.text).toContain('  └ [image/png] (+1 line)')
    expect(terminal.text).not.toContain('iVBOR')
  })

  test('dims commentary once it is known to be one, and leaves the answer as it is', async () => {
    const { terminal, view } = show({ columns: 20 })
    push(view, { type: 'start-step' }, text('t1', 'A commentary that is wrapped\nover 日本語 rows.'))
    expect(terminal.styleOf('A comm')).toBe('')
    push(view, open('c1', 'ls', {}), output('c1', []), { type: 'finish-step' })
    const before = 'A commentary that\nis wrapped\nover 日本語 rows.\n✔ Listed · 0 items\n  └ []'
    expect(terminal.text).toBe(before)
    expect([terminal.styleOf('A comm'), terminal.styleOf('over')]).toEqual(['dim', 'dim'])
    push(view, { type: 'start-step' }, text('t2', 'Done.'), { type: 'finish-step' })
    await view.end()
    expect(terminal.text).toBe(`${before}\n\nDone.`)
    expect(terminal.styleOf('Done')).toBe('')
    expect(terminal.strange).toEqual([])
  })

  test.each(['x', 'é', '日', 'ab日'])('dims a commentary of any length, of %j, in its place', async letter => {
    for (let count = 1; count <= 70; count++) {
      const { terminal, view } = show({ columns: 21 })
      push(view, text('t0', 'Above.'), text('t1', letter.repeat(count)))
      push(view, open('c1', 'ls', {}), output('c1', []))
      await view.end()
      expect(terminal.text.replace(/\s/g, '')).toBe(`Above.${letter.repeat(count)}✔Listed·0items└[]`)
      for (const line of terminal.text.split('\n')) expect(measureWidth(line)).toBeLessThan(21)
      expect(terminal.styleOf(letter)).toBe('dim')
    }
  })

  test('never touches what may have scrolled away: a long commentary stays as it was printed', async () => {
    const { terminal, view } = show({ rows: 6 })
    const long = Array.from({ length: 8 }, (_, line) => `line ${line}`).join('\n')
    push(view, { type: 'start-step' }, text('t1', long, 'commentary'), open('c1', 'ls', {}), output('c1', []))
    await view.end()
    expect(terminal.text).toBe(`${long}\n✔ Listed · 0 items\n  └ []`)
    expect(terminal.strange).toEqual([])
  })

  test('draws Markdown', async () => {
    const { terminal, view } = show({ columns: 30 })
    push(view, { type: 'start-step' }, text('t1', '## Plan\n- **one** thing, and another with words'))
    await view.end()
    expect(terminal.text).toBe('Plan\n• one thing, and another with\n  words')
    expect([terminal.styleOf('Plan'), terminal.styleOf('one')]).toEqual(['bold', 'bold'])
    expect(terminal.strange).toEqual([])
  })

  test('a row of text is continued when live lines appear and disappear below it', () => {
    const terminal = new FakeTerminal(30)
    const screen = new Screen(terminal)
    screen.append('First.\nA row ')
    screen.showLive(['waiting'])
    expect(terminal.text).toBe('First.\nA row\nwaiting')
    screen.append('of ')
    screen.showLive([])
    screen.append('words')
    expect(terminal.text).toBe('First.\nA row of words')
    screen.append(' that is longer than the screen')
    screen.showLive(['waiting'])
    expect(terminal.text).toBe('First.\nA row of words that is longer\nthan the screen\nwaiting')
    expect(terminal.strange).toEqual([])
  })

  test('says who is waited for, and how long, while a model is silent', async () => {
    const { terminal, view, tick } = show({ model: 'openai:gpt-4o' })
    push(view, { type: 'start-step' })
    tick(900)
    expect(terminal.text).toBe('')
    tick(200)
    expect(terminal.text).toMatch(/^. Waiting for openai:gpt-4o · 1 s$/)
    tick(11_000)
    expect(terminal.text).toMatch(/^. Waiting for openai:gpt-4o · 12 s$/)
    push(view, { type: 'text-start', id: 't1' }, { type: 'text-delta', id: 't1', delta: 'Well, I' })
    expect(terminal.text).toBe('Well,')
    tick(3000)
    expect(terminal.text).toMatch(/^Well, I\n. Waiting for openai:gpt-4o · 3 s$/)
    push(view, { type: 'text-delta', id: 't1', delta: ' see.' }, { type: 'text-end', id: 't1' })
    push(view, open('c1', 'slow', {}), { type: 'finish-step' })
    tick(5000)
    expect(terminal.text).toMatch(/^Well, I see\.\n. slow · running · 5\.0 s$/)
    push(view, output('c1', 'A'), { type: 'start-step' })
    tick(2000)
    expect(terminal.text).toMatch(/ Waiting for openai:gpt-4o · 2 s$/)
    await view.end()
    expect(terminal.text).toBe('Well, I see.\n✔ slow · A · 5.0 s')
    expect(terminal.strange).toEqual([])
  })

  test('a replay waits for nobody', () => {
    const { terminal, view, tick } = show()
    push(view, { type: 'start-step' })
    tick(60_000)
    expect(terminal.written).toBe('')
  })

  test('keeps parallel calls in the order in which they were made', async () => {
    const { terminal, view } = show()
    push(view, { type: 'start-step' }, open('a', 'slow', {}), open('b', 'fast', {}), output('b', 'B'))
    expect(terminal.text).toBe('⠋ slow · running\n✔ fast · B')
    push(view, output('a', 'A'))
    await view.end()
    expect(terminal.text).toBe('✔ slow · A\n✔ fast · B')
  })

  test('shows text above the calls that still run', async () => {
    const { terminal, view, tick } = show({ columns: 30 })
    push(view, { type: 'start-step' }, open('a', 'slow', {}))
    push(view, text('t1', 'Meanwhile I say something that is longer than a row.\nAnd ').slice(0, -1))
    tick(100)
    expect(terminal.text).toBe('Meanwhile I say something\nthat is longer than a row.\nAnd\n⠙ slow · running')
    push(view, output('a', 'A'))
    push(view, { type: 'text-delta', id: 't1', delta: 'more.' }, { type: 'text-end', id: 't1' })
    await view.end()
    expect(terminal.text).toBe('Meanwhile I say something\nthat is longer than a row.\nAnd more.\n✔ slow · A')
    expect(terminal.styleOf('Meanwhile')).toBe('dim')
    expect(terminal.strange).toEqual([])
  })

  test('has room for more calls than the screen has rows', async () => {
    const { terminal, view } = show({ rows: 8 })
    const ids = Array.from({ length: 12 }, (_, index) => `c${index}`)
    push(view, { type: 'start-step' }, ...ids.map(id => open(id, id, {})))
    expect(terminal.text.split('\n')).toHaveLength(6)
    expect(terminal.text).toContain('and 7 more')
    push(view, ...ids.toReversed().map(id => output(id, id)))
    await view.end()
    expect(terminal.strange).toEqual([])
    for (const id of ids) expect(terminal.text.split(`✔ ${id} · `)).toHaveLength(2)
    expect(terminal.text).not.toContain('running')
  })

  test('shows the end of a thought while it goes on, and one line of it afterwards', async () => {
    const { terminal, view, tick } = show({ columns: 40 })
    const thought = 'First I think about this, then I think about that, and so on.'
    push(view, { type: 'start-step' }, { type: 'reasoning-start', id: 'r' })
    for (const delta of thought) push(view, { type: 'reasoning-delta', id: 'r', delta })
    tick(80)
    expect(terminal.text).toBe('· … then I think about that, and so on.')
    push(view, { type: 'reasoning-end', id: 'r' }, text('t', 'Yes.', 'final'))
    await view.end()
    expect(terminal.text).toBe('· First I think about … (61 characters)\n\nYes.')
    expect(terminal.styleOf('·')).toBe('italic dim')
  })

  test('shows a failed, a refused and a broken call with the reason', async () => {
    const { terminal, view } = show()
    push(view, open('a', 'one', {}), { type: 'tool-output-error', toolCallId: 'a', errorText: 'No\nfile.' })
    push(view, open('b', 'two', {}), { type: 'tool-approval-request', toolCallId: 'b' })
    expect(terminal.text).toContain('? two · needs you')
    push(view, { type: 'tool-output-denied', toolCallId: 'b', reason: 'Too dear.' })
    push(view, { type: 'tool-input-error', toolCallId: 'c', toolName: 'three', input: '', errorText: 'Not JSON.' })
    await view.end()
    expect(terminal.text).toBe(
      '✖ one · failed\n  └ No\n    file.\n✖ two · you denied it\n  └ Too dear.\n✖ The call could not be read: three\n  └ Not JSON.',
    )
  })

  test('lets the first end of a call count, and leaves late chunks out', async () => {
    const { terminal, view } = show()
    push(view, open('a', 'one', {}), output('a', 'first'), output('a', 'second'), open('a', 'one', {}).slice(2))
    push(view, { type: 'tool-output-error', toolCallId: 'nobody', errorText: 'x' })
    await view.end()
    expect(terminal.text).toBe('✔ one · first')
  })

  test('shows the progress of a call and of an agent inside it', async () => {
    const { terminal, view, tick } = show()
    push(view, open('a', 'ask_agent', {}), {
      type: 'tool-output-available',
      toolCallId: 'a',
      output: '10 %',
      preliminary: true,
    })
    expect(terminal.text).toBe('⠋ Asking agent · 10 %')
    const chunk: Chunk = { type: 'tool-input-start', toolCallId: 'x', toolName: 'grep' }
    push(view, { type: 'data-argot-sub', data: { toolCallId: 'a', chunk }, transient: true })
    tick(80)
    expect(terminal.text).toBe('⠙ Asking agent · grep')
    await view.end()
  })

  test.each<[string, Chunk[], string]>([
    [
      'a program that failed',
      [
        {
          type: 'tool-output-available',
          toolCallId: 'a',
          output: 'x\n2 failed\n',
          providerMetadata: { argot: { details: { exitCode: 1 } } },
        },
      ],
      '✖ Ran npm test · failed · exit 1\n  └ x\n    2 failed',
    ],
    ['a call that was stopped', [{ type: 'abort' }], '■ Stopped running npm test'],
    [
      'one whose process died',
      [
        {
          type: 'tool-output-error',
          toolCallId: 'a',
          errorText: 'Died.',
          providerMetadata: { argot: { code: 'TOOL_INTERRUPTED' } },
        },
      ],
      '■ Was running npm test · interrupted: its effect is unknown',
    ],
    [
      'one that may run now',
      [
        { type: 'tool-approval-request', toolCallId: 'a' },
        { type: 'tool-approval-response', approvalId: 'a', toolCallId: 'a', approved: true },
      ],
      '▶ Running npm test',
    ],
    [
      'what a tool says of itself',
      [
        {
          type: 'tool-output-available',
          toolCallId: 'a',
          output: 'x',
          providerMetadata: { argot: { details: { summary: '12 passed' } } },
        },
      ],
      '✔ Ran npm test · 12 passed\n  └ x',
    ],
  ])('shows %s', async (_, chunks, expected) => {
    const { terminal, view } = show({ columns: 70 })
    push(view, { type: 'start' }, open('a', 'run_command', { command: 'npm test' }), chunks)
    await view.end()
    expect(terminal.text).toBe(expected)
  })

  test('shows what a call will be about while the model writes it', async () => {
    const { terminal, view, tick } = show()
    push(view, { type: 'tool-input-start', toolCallId: 'a', toolName: 'write_file' })
    const seen: string[] = []
    for (const inputTextDelta of ['{"path":"do', 'cs/a.md","content":"', 'x'.repeat(3000)]) {
      push(view, { type: 'tool-input-delta', toolCallId: 'a', inputTextDelta })
      tick(80)
      seen.push(terminal.text.slice(2))
    }
    expect(seen).toEqual(['Writing do', 'Writing docs/a.md', 'Writing docs/a.md · 3,009 characters'])
    await view.end()
  })

  test('measures what the tool took, not how long a person thought or the model wrote', async () => {
    const { terminal, view, tick } = show()
    push(view, { type: 'tool-input-start', toolCallId: 'a', toolName: 'write_file' })
    tick(20_000)
    push(view, { type: 'tool-input-available', toolCallId: 'a', toolName: 'write_file', input: { path: 'a.md' } })
    push(view, { type: 'tool-approval-request', toolCallId: 'a' })
    tick(50_000)
    push(view, { type: 'tool-approval-response', approvalId: 'a', toolCallId: 'a', approved: true })
    tick(2000)
    push(view, output('a', 'ok'))
    await view.end()
    expect(terminal.text).toBe('✔ Wrote a.md · ok · 2.0 s')
  })

  test('keeps two calls of one id apart, and calls that another message left open', async () => {
    const { terminal, view } = show()
    push(view, { type: 'start', messageId: 'm1' }, { type: 'start-step' }, open('a', 'one', {}), output('a', 'A'))
    push(view, { type: 'start-step' }, open('a', 'two', {}), { type: 'tool-approval-request', toolCallId: 'a' })
    push(view, { type: 'finish-step' }, { type: 'finish', messageId: 'm1', finishReason: 'tool-calls' })
    push(view, { type: 'start', messageId: 'm2' }, { type: 'start-step' }, open('a', 'three', {}), output('a', 'C'))
    await view.end()
    expect(terminal.text).toBe('✔ one · A\n? two · needs you\n✔ three · C')
  })

  test('says when a step is made again, and forgets its open calls', async () => {
    const { terminal, view } = show()
    push(view, { type: 'start-step' }, open('a', 'one', {}).slice(0, 1), { type: 'reset-step' }, { type: 'start-step' })
    push(view, text('t', 'Done.', 'final'))
    await view.end()
    expect(terminal.text).toBe('  The model call failed. Retrying.\n\nDone.')
  })

  test('shows a call that waits for approval when the run is over', async () => {
    const { terminal, view } = show()
    push(view, open('a', 'one', {}), { type: 'tool-approval-request', toolCallId: 'a' })
    await view.end()
    expect(terminal.text).toBe('? one · needs you')
  })

  test('keeps a text to itself that came after the limit of calls', async () => {
    const { terminal, view } = show()
    push(view, text('t', 'unseen', 'remainder'))
    await view.end()
    expect(terminal.text).toBe('')
  })
})

describe('hostile output', () => {
  const attack = 'a\x1b[2J\x1b]52;c;aGk=\x07\x1b]0;title\x07\x9b31m\x08\x7f\x00\u202eb\rc'

  test('of the model reaches the terminal as symbols, in one piece and in any two', async () => {
    for (let cut = 0; cut <= attack.length; cut++) {
      const { terminal, view } = show()
      push(view, { type: 'text-start', id: 't' })
      for (const delta of [attack.slice(0, cut), attack.slice(cut)]) push(view, { type: 'text-delta', id: 't', delta })
      await view.end()
      expect(terminal.strange).toEqual([])
      expect(terminal.text).toBe('a␛[2J␛]52;c;aGk=␇␛]0;title␇\ufffd31m␈␡␀\ufffdb␍c')
    }
  })

  test.each([
    ['the name of a tool', open('a', attack, {})],
    ['the input of a call', open('a', 'one', { [attack]: attack })],
    [
      'input that is being written',
      [
        { type: 'tool-input-start', toolCallId: 'a', toolName: 'one' },
        { type: 'tool-input-delta', toolCallId: 'a', inputTextDelta: JSON.stringify({ path: attack }).slice(0, -2) },
      ],
    ],
    ['a result', [...open('a', 'one', {}), output('a', attack)]],
    ['a result that is not text', [...open('a', 'one', {}), output('a', { [attack]: attack })]],
    ['an error', [...open('a', 'one', {}), { type: 'tool-output-error', toolCallId: 'a', errorText: attack }]],
    ['a refusal', [...open('a', 'one', {}), { type: 'tool-output-denied', toolCallId: 'a', reason: attack }]],
    [
      'a preview',
      [
        ...open('a', 'one', {}),
        {
          type: 'tool-output-available',
          toolCallId: 'a',
          output: `${attack}\n${attack.slice(0, -2)}`,
          preliminary: true,
        },
      ],
    ],
    [
      'a thought',
      [
        { type: 'reasoning-start', id: 'r' },
        { type: 'reasoning-delta', id: 'r', delta: attack },
      ],
    ],
    ['a source', [{ type: 'source-url', sourceId: 's', url: attack, title: attack }]],
    ['a file', [{ type: 'file', mediaType: attack, url: '', filename: attack }]],
  ] as [string, Chunk[]][])('in %s cannot drive the terminal', async (_, chunks) => {
    const { terminal, view, tick } = show({ colours: false })
    push(view, ...chunks)
    tick(80)
    await view.end()
    expect(terminal.strange).toEqual([])
    // The last version of a line redrawn with \r is all that a row shows.
    expect(terminal.written).toMatch(/a|\bc\b/)
    expect(terminal.written).not.toMatch(/[\x07\x08\x7f-\x9f\u202e]/)
  })

  test('in a notice cannot either', async () => {
    const { view, errors } = show()
    view.notice(`Look: ${attack}`)
    await view.end()
    expect(errors()).toBe('Look: a␛[2J␛]52;c;aGk=␇␛]0;title␇\ufffd31m␈␡␀\ufffdb␍c\n')
  })

  test('with half a character at the end of a piece is put together again', async () => {
    const { terminal, view } = show()
    for (const delta of ['a\ud83c', '\udf89\r', '\nb']) push(view, { type: 'text-delta', id: 't', delta })
    await view.end()
    expect(terminal.text).toBe('a🎉\nb')
  })
})

describe('the size of the terminal', () => {
  const input = { path: '日本語の👩‍👩‍👧とても長い名前'.repeat(20), flag: '❤️'.repeat(50) }

  test.each([8, 12, 20, 33, 80, 200])('keeps a call on one row of %i columns', async columns => {
    const { terminal, view, tick } = show({ columns, colours: false })
    push(view, open('a', 'read_file', input))
    tick(1500)
    for (const line of terminal.text.split('\n')) expect(measureWidth(line)).toBeLessThan(columns)
    expect(terminal.text.split('\n')).toHaveLength(1)
    push(view, output('a', '日本語'.repeat(100)))
    await view.end()
    expect(terminal.text.split('\n')).toHaveLength(2)
    for (const line of terminal.text.split('\n')) expect(measureWidth(line)).toBeLessThan(columns)
  })

  test('may become smaller while calls run', async () => {
    const { terminal, view, tick } = show({ columns: 60 })
    push(view, text('t', 'Before.', 'commentary'), open('a', 'read_file', { path: 'x'.repeat(100) }))
    terminal.resize(20)
    tick(80)
    expect(terminal.text).toBe('Before.\n⠙ Reading xxxxxxxx…')
    push(view, output('a', 'done'))
    await view.end()
    expect(terminal.text).toBe('Before.\n✔ Read xxxx… · done')
  })

  test('without colours nothing but the position is changed, and a dumb terminal gets lines only', async () => {
    const plain = show({ colours: false })
    push(plain.view, text('t', 'Before.', 'commentary'), open('a', 'one', {}), output('a', 1))
    await plain.view.end()
    expect(plain.terminal.written).not.toMatch(/\x1b\[[\d;]*m/)
    const dumb = show({ colours: false, canMove: false })
    push(dumb.view, text('t', 'Before.', 'commentary'), open('a', 'one', {}))
    dumb.tick(80)
    push(dumb.view, output('a', 1), text('u', 'After.', 'final'))
    await dumb.view.end()
    expect(dumb.terminal.written).toBe('Before.\n✔ one · 1\n\nAfter.\n')
  })
})

describe('a question', () => {
  test('has the terminal for itself, and what came meanwhile is shown afterwards', async () => {
    const { terminal, view, tick } = show()
    push(view, text('t', 'Before.', 'commentary'), open('a', 'one', {}), open('b', 'two', {}))
    let answer: (value: string) => void = () => {}
    const asked = view.lend(() => {
      terminal.write('Really?\n')
      return new Promise<string>(resolve => {
        answer = resolve
      })
    })
    await Promise.resolve()
    tick(1500)
    push(view, output('a', 'A'))
    view.notice('Something else.')
    tick(60_000)
    expect(terminal.text).toBe('Before.\nReally?')
    answer('yes')
    expect(await asked).toBe('yes')
    push(view, output('b', 'B'))
    await view.end()
    expect(terminal.text).toBe('Before.\nReally?\n✔ one · A · 1.5 s\n✔ two · B · 1 min 1 s')
  })
})

test('the cost of a chunk stays the same: what is written grows with what is shown, not with its square', async () => {
  const sizes = []
  for (const count of [1000, 4000]) {
    const { terminal, view, tick } = show({ rows: 24 })
    push(view, { type: 'start-step' }, open('a', 'slow', {}), { type: 'reasoning-start', id: 'r' })
    for (let index = 0; index < count; index++) {
      push(view, { type: 'reasoning-delta', id: 'r', delta: 'thinking ' })
      push(view, { type: 'tool-input-delta', toolCallId: 'a', inputTextDelta: 'input ' })
      if (index % 100 === 0) tick(80)
    }
    for (let index = 0; index < count; index++) push(view, { type: 'text-delta', id: 't', delta: 'word ' })
    await view.end()
    sizes.push(terminal.written.length)
  }
  expect(sizes[1]! / sizes[0]!).toBeLessThan(4.5)
})
