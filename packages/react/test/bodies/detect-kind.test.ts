import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { detectKind, exitCode, readPrinted } from '../../src/bodies/kinds/detect-kind.ts'
import { readTable } from '../../src/bodies/kinds/read-table.ts'
import { readTrace } from '../../src/bodies/kinds/read-trace.ts'

const people = [
  { name: 'Ada', born: 1815 },
  { name: 'Grace', born: 1906 },
]
const results = [{ title: 'Rotation', url: 'https://www.example.com/a', snippet: 'How logs rotate.' }]
const python = `Traceback (most recent call last):
  File "/home/ada/app/main.py", line 3, in <module>
    run()
  File "/usr/lib/python3.11/site-packages/x/y.py", line 9, in run
    raise ValueError('no')
ValueError: no
`
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAUAAAAKCAYAAAB8OZQwAAAAEklEQVR42mNk+M9QzzAKRgEyAADqCAX/AvZL3wAAAABJRU5ErkJggg=='
const picture = { type: 'image', data: png, mimeType: 'image/png' }

function kind(output: unknown, input: unknown = {}, toolName = 'tool'): string | undefined {
  return detectKind({ toolName, input, output })?.kind
}

describe('the kind of an output', () => {
  test.each<[string, unknown, string | undefined]>([
    ['a list of records', people, 'table'],
    ['rows beside a count', { rows: people, total: 2 }, 'table'],
    ['a result of MCP that is JSON', { content: [{ type: 'text', text: JSON.stringify(people) }] }, 'table'],
    ['structured content of MCP', { structuredContent: { items: people }, content: [] }, 'table'],
    ['search results', { results }, 'sources'],
    ['citations', [{ type: 'url_citation', url_citation: { title: 'A', url: 'https://a.example/' } }], 'sources'],
    ['results in an object of an object', { web: { results } }, 'sources'],
    ['a response', { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>' }, 'http'],
    ['what curl -i prints', 'HTTP/1.1 404 Not Found\r\ncontent-type: text/plain\r\n\r\nno', 'http'],
    ['a traceback', python, 'trace'],
    ['test results', { stdout: 'test result: ok. 2 passed; 0 failed; 0 ignored', exitCode: 0 }, 'tests'],
    ['two pictures', { content: [picture, picture] }, 'compare'],
    ['one picture', { content: [picture] }, undefined],
    ['two pictures and words', { content: [picture, { type: 'text', text: 'and' }, picture] }, undefined],
    ['one record', [people[0]], undefined],
    [
      'records of different kinds',
      [
        { a: 1, b: 2 },
        { c: 1, d: 2 },
      ],
      undefined,
    ],
    ['a list of texts', ['a', 'b'], undefined],
    ['a flat object', { temperature: 22, sky: 'clear' }, undefined],
    [
      'an issue tracker',
      [
        { ...results[0], state: 'open' },
        { ...results[0], state: 'closed' },
      ],
      'table',
    ],
    ['a status without headers', { status: 200, body: 'x' }, undefined],
    ['prose about an error', 'It failed at line 3.\nThen it went on.\n', undefined],
  ])('%s', (_, output, expected) => {
    expect(kind(output)).toBe(expected)
  })

  test('a file that was read is a file, whatever is in it', () => {
    expect(kind(python, { path: 'crash.log' }, 'read_file')).toBeUndefined()
    expect(kind(JSON.stringify(people), { file_path: 'a.json' }, 'Read')).toBeUndefined()
    expect(kind(people, { path: '.' }, 'read_dir')).toBe('table')
  })

  test('what a program prints is a table only if the tool says so', () => {
    const text = JSON.stringify(people)
    expect(kind(text, { command: 'cat a.json' })).toBeUndefined()
    expect(detectKind({ input: { command: 'cat a.json' }, output: text }, 'table')?.kind).toBe('table')
  })

  test('a picture beside the one that it came from', () => {
    const image = `data:image/png;base64,${png}`
    expect(kind({ content: [picture] }, { image, prompt: 'sharper' })).toBe('compare')
  })

  test('an error is read for tests and traces', () => {
    expect(detectKind({ errorText: `Error: no\n    at a (/app/src/a.ts:1:2)\n    at b (node:fs:3:4)` })?.kind).toBe(
      'trace',
    )
    expect(detectKind({ errorText: 'No such file.' })).toBeUndefined()
  })

  test('an HTTP exchange has the request of its input, and its body by its type', () => {
    const output = 'HTTP/2 301\nlocation: /b\n\nHTTP/2 200\nContent-Type: application/json; charset=utf-8\n\n{"a":1}'
    const found = detectKind({ input: { command: "curl -iL 'https://api.example.com/x'" }, output })
    expect(found).toMatchObject({
      exchange: { method: 'GET', url: 'https://api.example.com/x', status: 200, body: { a: 1 } },
    })
  })
})

describe('hostile outputs', () => {
  test('only addresses of the web are sources', () => {
    for (const url of [
      'javascript://x.example/%0aalert(1)',
      'ftp://x.example',
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      '//x',
      'https:',
      '',
    ]) {
      expect(kind([{ title: 'x', url }])).toBeUndefined()
    }
  })

  test('keys of prototypes are keys', () => {
    const list = JSON.parse('[{"__proto__":1,"constructor":2},{"__proto__":3,"constructor":4}]')
    expect(readTable(list)).toMatchObject({
      columns: ['__proto__', 'constructor'],
      rows: [
        [1, 2],
        [3, 4],
      ],
    })
    expect(kind(JSON.parse('{"__proto__":{"status":200,"headers":{}}}'))).toBeUndefined()
    expect(readPrinted(JSON.parse('{"__proto__":{"stdout":"x","exitCode":1}}'))).toBeUndefined()
    expect(exitCode({ toString: 1 })).toBeUndefined()
  })

  test('what is too large has no kind, or is read in time', () => {
    expect(kind('x'.repeat(10_000_000))).toBeUndefined()
    expect(kind(`${'\u001b[31m'.repeat(300_000)}`)).toBeUndefined()
    expect(kind(Array.from({ length: 100_001 }, () => ({ a: 1, b: 2 })))).toBeUndefined()
    expect(kind(Array.from({ length: 100_000 }, (_, a) => ({ a, b: 2 })))).toBe('table')
    expect(kind([Object.fromEntries(Array.from({ length: 5000 }, (_, a) => [a, a])), {}])).toBeUndefined()
    expect(kind(`[${'['.repeat(100_000)}`)).toBeUndefined()
    expect(kind(`HTTP/1.1 200 OK\n${'a: b\n'.repeat(100_000)}`)).toBeUndefined()
    for (const line of ['at a in b ', 'at (', '    at x ', 'File "', '❯ a', ' a.go:']) {
      expect(() => kind(`${line.repeat(60)}\n`.repeat(1900))).not.toThrow()
    }
  })

  test('law: no value is read with a fault', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.string(), (output, input, toolName) => {
        detectKind({ output, input, toolName })
        detectKind({ output: JSON.stringify(output), input, toolName })
        detectKind({ output: { content: [{ type: 'text', text: toolName }], results: output }, input, toolName })
      }),
      { numRuns: 300 },
    )
  })
})

describe('a trace', () => {
  test('tells own frames from those of libraries, in any language', () => {
    const lines = (text: string) => readTrace(text, true)?.map(({ kind: one, text: line }) => `${one}: ${line.trim()}`)
    expect(lines(python)).toEqual([
      'message: Traceback (most recent call last):',
      'own: File "/home/ada/app/main.py", line 3, in <module>',
      'own: run()',
      'library: File "/usr/lib/python3.11/site-packages/x/y.py", line 9, in run',
      "library: raise ValueError('no')",
      'message: ValueError: no',
    ])
    expect(
      lines(
        [
          'TypeError: x is not a function',
          '    at run (/app/src/run.ts:3:9)',
          '    at async Promise.all (index 0)',
          '    at Layer.handle (/app/node_modules/express/lib/layer.js:95:5)',
          '    at file:///app/src/main.ts:1:1',
          '    at node:internal/main/run_main_module:23:47',
        ].join('\n'),
      )?.map(line => line.split(':')[0]),
    ).toEqual(['message', 'own', 'library', 'library', 'own', 'library'])
    expect(
      lines(
        'panic: no\n\ngoroutine 1 [running]:\nmain.run(...)\n\t/app/main.go:7\nruntime.main()\n\t/usr/lib/go/src/runtime/proc.go:2 +0x1d',
      )?.map(line => line.split(':')[0]),
    ).toEqual(['message', 'message', 'message', 'own', 'own', 'library', 'library'])
    expect(
      lines(
        'Exception in thread "main" java.lang.Error: no\n\tat com.acme.App.run(App.java:3)\n\tat java.base/java.lang.Thread.run(Thread.java:9)',
      )?.map(line => line.split(':')[0]),
    ).toEqual(['message', 'own', 'library'])
    expect(
      lines(
        'thread panicked\n   0: core::panic\n             at /rustc/abc/library/core/src/panicking.rs:80:14\n   1: app::run\n             at ./src/lib.rs:4:30',
      )?.map(line => line.split(':')[0]),
    ).toEqual(['message', 'library', 'library', 'own', 'own'])
  })

  test('law: its lines are the text', () => {
    const line = fc.constantFrom(
      'Error: x',
      '    at a (/b.js:1:2)',
      '  File "a.py", line 1',
      '      ^',
      '',
      'text',
      '\tx.go:1',
    )
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 12 }), some => {
        const text = some.join('\n')
        const lines = readTrace(text, true)
        if (lines !== undefined) expect(lines.map(one => one.text).join('\n')).toBe(text.replace(/\n$/, ''))
      }),
    )
  })
})
