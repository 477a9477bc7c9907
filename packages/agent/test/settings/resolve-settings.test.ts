import { resolveSyntax } from '@argot/agent/internal'
import { expect, test } from 'vitest'
import { resolveMaxSteps, resolveModelName } from '../../src/settings/resolve-settings.ts'

const file = '/home/ada/argot.config.json'

const everywhere = {
  flag: 'caret',
  document: 'callout',
  env: { ARGOT_TOOL_SYNTAX: 'fence', ARGOT_MODEL: 'variable' },
  settings: { toolSyntax: { value: 'hermes', from: file } },
  nativeTools: true,
}

test.each([
  ['the flag', {}, 'caret', '`--tool-syntax`'],
  ['the document', { flag: undefined }, 'callout', '`tool_syntax` of the document'],
  ['the variable', { flag: undefined, document: undefined }, 'fence', 'the variable `ARGOT_TOOL_SYNTAX`'],
  ['a settings file', { flag: undefined, document: undefined, env: {} }, 'hermes', `\`toolSyntax\` in \`${file}\``],
])('the syntax comes from %s before what follows', (_, change, syntax, from) => {
  const chosen = resolveSyntax({ ...everywhere, ...change })
  expect([chosen.syntax.name, chosen.from]).toEqual([syntax, from])
})

test.each([
  [true, 'native', 'the default for a model with native tool calling'],
  [false, 'xml', 'the default for a model without native tool calling'],
])('if no syntax is chosen and native calls are %s, the syntax is %s', (nativeTools, syntax, from) => {
  const chosen = resolveSyntax({ env: { ARGOT_TOOL_SYNTAX: '' }, settings: {}, nativeTools })
  expect([chosen.syntax.name, chosen.from]).toEqual([syntax, from])
})

test('an alias of a syntax is good', () => {
  expect(resolveSyntax({ ...everywhere, flag: 'json' }).syntax.name).toBe('native')
})

test.each([
  [{ flag: 'yaml' }, '`--tool-syntax`'],
  [{ flag: undefined, document: '__proto__' }, '`tool_syntax` of the document'],
  [{ flag: undefined, document: undefined, env: { ARGOT_TOOL_SYNTAX: 'XML' } }, 'the variable `ARGOT_TOOL_SYNTAX`'],
  [
    { flag: undefined, document: undefined, env: {}, settings: { toolSyntax: { value: 'x', from: file } } },
    `\`toolSyntax\` in \`${file}\``,
  ],
])('an unknown syntax is an error that says where the name stands: %j', (change, from) => {
  const expected = { code: 'SYNTAX_UNKNOWN', message: expect.stringContaining(`The name comes from ${from}.`) }
  expect(() => resolveSyntax({ ...everywhere, ...change })).toThrow(expect.objectContaining(expected))
})

test('a wrong name does not matter where another comes before it', () => {
  const env = { ARGOT_TOOL_SYNTAX: 'wrong' }
  expect(resolveSyntax({ ...everywhere, env }).syntax.name).toBe('caret')
})

test.each([
  ['the flag', {}, { value: 'flag', from: '`--model`' }],
  ['the document', { flag: undefined }, { value: 'document', from: '`model` of the document' }],
  ['the variable', { flag: undefined, document: undefined }, { value: 'variable', from: 'the variable `ARGOT_MODEL`' }],
  [
    'a settings file',
    { flag: undefined, document: undefined, env: { ARGOT_MODEL: '' } },
    { value: 'file', from: `\`model\` in \`${file}\`` },
  ],
  ['nobody', { flag: undefined, document: undefined, env: {}, settings: {} }, undefined],
])('the model is named by %s before what follows', (_, change, expected) => {
  const settings = { model: { value: 'file', from: file } }
  const { env } = everywhere
  expect(resolveModelName({ flag: 'flag', document: 'document', env, settings, ...change })).toEqual(expected)
})

test.each([
  ['the flag', {}, { value: 1, from: '`--max-steps`' }],
  ['the document', { flag: undefined }, { value: 1000, from: '`max_steps` of the document' }],
  ['a settings file', { flag: undefined, document: undefined }, { value: 3, from: `\`maxSteps\` in \`${file}\`` }],
  ['nobody', { flag: undefined, document: undefined, settings: {} }, { value: 50, from: 'the default' }],
])('the number of steps is set by %s before what follows', (_, change, expected) => {
  const settings = { maxSteps: { value: 3, from: file } }
  expect(resolveMaxSteps({ flag: 1, document: 1000, settings, ...change })).toEqual(expected)
})

test.each([
  [{ flag: 0 }, '`--max-steps` must be a whole number from 1 to 1000000, not `0`.'],
  [
    { document: 1001 },
    '`max_steps` of the document must be a whole number from 1 to 1000, not `1001`. Use `--max-steps` for more.',
  ],
  [{ flag: Number.NaN }, 'not `NaN`'],
  [{ document: 1001 }, '`max_steps` of the document must be'],
  [{ document: 2.5 }, 'not `2.5`'],
])('a number of steps outside the range is an error: %j', (change, message) => {
  const expected = { code: 'SETTINGS_BAD_VALUE', message: expect.stringContaining(message) }
  expect(() => resolveMaxSteps({ settings: {}, ...change })).toThrow(expect.objectContaining(expected))
})
