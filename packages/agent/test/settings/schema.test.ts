import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Schema, Validator } from '@cfworker/json-schema'
import { expect, test } from 'vitest'
import { checkSettings } from '../../src/settings/check-settings.ts'

const path = createRequire(import.meta.url).resolve('@argot/agent/argot.config.schema.json')
const validator = new Validator(JSON.parse(readFileSync(path, 'utf8')) as Schema, '7')

const names = [
  '',
  'demo',
  ' demo',
  'demo ',
  'openai:gpt 4',
  'a\nb',
  'a\u0085b',
  '\u2028',
  'x'.repeat(200),
  'x'.repeat(201),
  1,
  null,
]
const policies = [...['all', 'ask', 'readonly', 'none', 'All', '', 'ask,rg=all', null, []], {}, { default: 'ask' }]
const perTool = [{ rg: 'all', default: 'none' }, { rg: 'yes' }, { default: null }, JSON.parse('{"__proto__":"all"}')]
const ruleLists = [
  ...['read_file', 'read_file(docs/**)', 'git(status*)', 'write_file(!src/**)', '*(x)', '*', 'a*', 'a*(x)', 'a b(x)'],
  ...[
    'read_file(',
    'read_file)',
    '(x)',
    'git()',
    'git(!)',
    'git( x)',
    'git(x )',
    'git(! x)',
    'git(a (b) c)',
    '',
    'a(\u200bx)',
  ],
  ...[
    'a(..)',
    'a(../x)',
    'a(x/..)',
    'a(!../x)',
    'a(x..y)',
    'a(~/x)',
    'a(~)',
    'a(!~/x)',
    'a(x~)',
    `a(${'x'.repeat(600)})`,
  ],
].map(rule => [rule] as unknown)
ruleLists.push(
  [],
  'read_file',
  ['read_file', 7],
  {},
  null,
  Array.from({ length: 201 }, () => 'a'),
)

const values: unknown[] = [
  ...[{}, [], null, 'all', 1, { $schema: 'x' }, { $schema: 1 }, { tool_syntax: 'xml' }, { constructor: {} }],
  ...names.flatMap(name => [{ model: name }, { toolSyntax: name }]),
  ...[-1, 0, 1, 1.5, 50, 1000, 1001, '5', null].map(maxSteps => ({ maxSteps })),
  ...[
    '12h',
    '30d',
    '4w',
    '0d',
    '00000h',
    '99999w',
    '100000h',
    '30',
    'd',
    '30 d',
    '-1d',
    '1.5d',
    '30D',
    '1m',
    30,
    null,
  ].map(retention => ({ retention })),
  ...['model', 'first-message', 'none', '', true, null].map(titles => ({ titles })),
  ...[...policies, ...perTool].map(approve => ({ approve })),
  ...['allow', 'ask', 'deny'].flatMap(kind => ruleLists.map(list => ({ [kind]: list }))),
  { $schema: 'x', model: 'demo', toolSyntax: 'xml', maxSteps: 3, approve: { rg: 'none' } },
]

test.each(values.map(value => [JSON.stringify(value).slice(0, 70), value]))(
  'the schema and the reader agree about %s',
  (_, value) => {
    let read = true
    try {
      checkSettings(value, 'argot.config.json')
    } catch {
      read = false
    }
    expect(validator.validate(value).valid).toBe(read)
  },
)
