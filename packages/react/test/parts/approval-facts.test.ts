import { describeCall, type ToolInvocation } from 'argot'
import { type CallDescription, english } from 'argot/stream'
import { expect, test } from 'vitest'
import { englishChat } from '../../src/locale/english-chat.ts'
import { approvalFacts, plainVerb, questionOf } from '../../src/parts/approval/approval-facts.ts'

function asking(toolName: string, input: unknown, fields: Partial<ToolInvocation> = {}): ToolInvocation {
  return { key: 'a', toolCallId: 'a', toolName, state: 'approval-requested', approval: { id: 'a' }, input, ...fields }
}

const describe = (call: ToolInvocation): CallDescription => describeCall(call)

test.each([
  ['delete_files', { files: ['a', 'b'] }, 'Delete 2 files?'],
  ['edit_file', { path: 'src/a.ts' }, 'Edit src/a.ts?'],
  ['run', { command: 'npm test' }, 'Run npm test?'],
  ['run', { command: `npm run fixtures -- --rewrite ${'x'.repeat(40)}` }, 'Run npm run fixtures …?'],
  ['rotate_index', { date: '2026-11-16' }, 'Run rotate_index 2026-11-16?'],
])('%s %j asks: %s', (tool, input, question) => {
  expect(questionOf(describe(asking(tool, input)), englishChat)).toBe(question)
})

test('a verb in no tense is what the sentence wants', () => {
  expect(plainVerb(describe(asking('search_files', { query: 'a' })), english)).toBe('search files')
})

test('the request says what a call does and reaches; else its name does', () => {
  expect(
    approvalFacts(asking('x', {}, { toolMetadata: { effect: 'net', boundary: 'Confined.' } }), undefined),
  ).toMatchObject({
    effect: 'net',
    boundary: 'Confined.',
  })
  expect(approvalFacts(asking('delete_file', {}), undefined).effect).toBe('write')
  expect(approvalFacts(asking('x', {}), { effect: 'exec' }).effect).toBe('exec')
  expect(approvalFacts(asking('x', {}), undefined).effect).toBeUndefined()
})

test('the command line is what the one who asks says, word by word, and nobody else', () => {
  const facts = { command: ['wc', '-w', 'my notes.md'] }
  expect(approvalFacts(asking('count', {}, { approval: { id: 'a', facts } }), undefined).command).toBe(
    "wc -w 'my notes.md'",
  )
  expect(approvalFacts(asking('count', {}, { toolMetadata: facts }), undefined).command).toBeUndefined()
})

test('a call that was interrupted is said to be one', () => {
  const call = asking('run', {}, { callProviderMetadata: { argot: { effect: 'exec', interrupted: true } } })
  expect(approvalFacts(call, undefined).effect).toBe('interrupted')
})

test('facts that are not facts are left out', () => {
  const call = asking('x', {}, { toolMetadata: { effect: 'constructor', boundary: 5, inputSchema: 'no' } })
  expect(approvalFacts(call, undefined)).toMatchObject({ effect: undefined, boundary: undefined, schema: undefined })
})
