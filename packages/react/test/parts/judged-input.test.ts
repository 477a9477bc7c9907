import { expect, test } from 'vitest'
import { editedInput, fieldName, inputFields } from '../../src/parts/approval/input-fields.ts'
import { judgedInput, pickRewritten } from '../../src/parts/approval/judged-input.ts'

test.each([
  ['a command', 'run', { command: 'rm -rf a' }, [{ kind: 'command', keys: ['command'], command: 'rm -rf a' }]],
  ['words', 'npm', { args: ['run', 'a b'] }, [{ kind: 'command', keys: ['args'], command: "npm run 'a b'" }]],
  [
    'a command with more',
    'run',
    { command: 'ls', timeout: 3 },
    [
      { kind: 'command', keys: ['command'], command: 'ls' },
      { kind: 'rest', value: { timeout: 3 } },
    ],
  ],
  [
    'an edit',
    'edit_file',
    { path: 'a.ts', search: 'x', replace: 'y' },
    [{ kind: 'diff', keys: ['path', 'search', 'replace'], name: 'a.ts', before: 'x', after: 'y' }],
  ],
  [
    'a text',
    'write_file',
    { path: 'a.ts', content: 'a\nb' },
    [{ kind: 'text', keys: ['path', 'content'], name: 'a.ts', text: 'a\nb' }],
  ],
  ['a list', 'delete_files', { files: ['a', 'b'] }, [{ kind: 'paths', name: 'files', paths: ['a', 'b'] }]],
  ['anything else', 'x', { a: 1, b: { c: 2 } }, [{ kind: 'rest', value: { a: 1, b: { c: 2 } } }]],
  ['no object', 'x', [1], [{ kind: 'rest', value: [1] }]],
  ['nothing', 'x', {}, [{ kind: 'rest', value: {} }]],
])('%s is shown as what it is', (_, tool, input, pieces) => {
  expect(judgedInput(input, tool)).toEqual(pieces)
})

test('a command line that is known stands for the fields whose words it says, and for no other', () => {
  expect(judgedInput({ arguments: ['b'], note: 1 }, 'count', { command: ['wc', '-w', 'a', 'b'] })).toEqual([
    { kind: 'command', keys: ['arguments'], command: 'wc -w a b' },
    { kind: 'rest', value: { note: 1 } },
  ])
  expect(judgedInput({ command: 'npm test' }, 'run', { command: ['npm', 'test'] })).toEqual([
    { kind: 'command', keys: ['command'], command: 'npm test' },
  ])
  expect(judgedInput({}, 'count', { command: ['wc', '-w', 'a'] })).toEqual([
    { kind: 'command', keys: [], command: 'wc -w a' },
  ])
  expect(judgedInput({ script: 'weekly' }, 'run', { command: ['sh', 'weekly.sh'] })).toEqual([
    { kind: 'command', keys: [], command: 'sh weekly.sh' },
    { kind: 'rest', value: { script: 'weekly' } },
  ])
})

const diff = '--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n-x();\n+y();\n z\n'

test('a diff of the run stands for the fields that can be read in it, and for no other', () => {
  const said = { diff, name: 'a.ts' }
  expect(judgedInput({ path: 'a.ts', content: 'y();\nz\n', mode: '777' }, 'write_file', said)).toEqual([
    { kind: 'diff', keys: ['path', 'content'], name: 'a.ts', isPredicted: true, diff },
    { kind: 'rest', value: { mode: '777' } },
  ])
  expect(judgedInput({ path: 'a.ts', search: 'x', replace: 'y' }, 'edit_file', said)).toEqual([
    { kind: 'diff', keys: ['search', 'replace', 'path'], name: 'a.ts', isPredicted: true, diff },
  ])
  expect(judgedInput({ note: 'one\ntwo' }, 'x', { diff })).toEqual([
    { kind: 'diff', keys: [], name: undefined, isPredicted: true, diff },
    { kind: 'text', keys: ['note'], name: undefined, text: 'one\ntwo' },
  ])
  const broken = `${diff}rm -rf ~`
  expect(judgedInput({}, 'x', { diff: broken })[0]).toEqual({ kind: 'text', keys: [], name: undefined, text: broken })
})

test('a text is drawn as a diff only if it is one from its first line to its last', () => {
  expect(judgedInput({ patch: diff }, 'x')).toMatchObject([{ kind: 'diff', diff }])
  for (const text of ['--- weekly report\nDROP TABLE users;', `${diff}DROP TABLE users;`])
    expect(judgedInput({ query: text }, 'x')).toEqual([{ kind: 'text', keys: ['query'], name: undefined, text }])
})

test('fields that are shown in another form can be had as they are', () => {
  const of = (input: object) => pickRewritten(input, judgedInput(input, 'npm'))
  expect(of({ args: ['run', 'a b'] })).toBeUndefined()
  expect(of({ args: ["it's"], n: 1 })).toEqual({ args: ["it's"] })
  expect(of({ path: 'a', search: 'x', replace: 'y', n: 1 })).toEqual({ path: 'a', search: 'x', replace: 'y' })
  expect(of({ path: 'a', content: 'x\ny' })).toBeUndefined()
})

test('every field is shown, whatever it is called', () => {
  const input = JSON.parse('{"__proto__":"a\\nb","constructor":1,"command":"ls"}') as unknown
  expect(judgedInput(input, 'x')).toEqual([
    { kind: 'command', keys: ['command'], command: 'ls' },
    { kind: 'text', keys: ['__proto__'], name: undefined, text: 'a\nb' },
    { kind: 'rest', value: { constructor: 1 } },
  ])
})

test('fields have the kind that the schema says, else the one that the value is', () => {
  const schema = {
    type: 'object',
    properties: {
      mode: { enum: ['a', 'b'] },
      count: { type: 'integer' },
      force: { type: 'boolean' },
      more: { type: 'array' },
    },
  }
  const kinds = inputFields({ mode: 'a', text: 'x', long: 'x\ny', list: [1] }, schema).map(one => [one.key, one.kind])
  expect(kinds).toEqual([
    ['mode', 'choice'],
    ['text', 'text'],
    ['long', 'long'],
    ['list', 'json'],
    ['count', 'number'],
    ['force', 'boolean'],
    ['more', 'json'],
  ])
})

test('what nobody touched stays what it was, and what was changed has its type', () => {
  const input = { path: 'a', count: 1, deep: { b: [1] }, on: true }
  const fields = inputFields(input, undefined)
  const named = Object.fromEntries(fields.map(one => [one.key, fieldName(one)]))
  const edited = editedInput(input, fields, {
    [named.count!]: '2',
    [named.deep!]: '{"b":[2]}',
    [named.on!]: 'false',
  })
  expect(edited).toEqual({ input: { path: 'a', count: 2, deep: { b: [2] }, on: false } })
})

test.each([
  ['a number', { count: 1 }, 'two'],
  ['JSON', { list: [1] }, '[1'],
])('a field that is no longer %s is named', (_, input, text) => {
  const fields = inputFields(input, undefined)
  expect(editedInput(input, fields, { [fieldName(fields[0]!)]: text })).toEqual({ invalid: fields[0]!.label })
})

test('a parameter called __proto__ can be edited', () => {
  const input = JSON.parse('{"__proto__":"a"}') as unknown
  const fields = inputFields(input, undefined)
  const edited = editedInput(input, fields, { [fieldName(fields[0]!)]: 'b' })
  expect(JSON.stringify(edited.input)).toBe('{"__proto__":"b"}')
})

test('an input that is not an object has one field', () => {
  const fields = inputFields('ls', undefined)
  expect(editedInput('ls', fields, { [fieldName(fields[0]!)]: 'ls -l' })).toEqual({ input: 'ls -l' })
})
