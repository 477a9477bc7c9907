import type { JsonSchema } from '@argot/core'
import { expect, test } from 'vitest'
import type { ApprovalRequest } from '../../src/approval/approval.ts'
import { questionFacts } from '../../src/approval/question-facts.ts'
import type { ForeseenChange } from '../../src/tool/foreseen-change.ts'
import { createRedactor } from '../../src/tool/output/redact.ts'

const request: ApprovalRequest = {
  approvalId: 'a',
  toolCallId: 'c',
  toolName: 'write_file',
  input: {},
  effect: 'write',
  signal: new AbortController().signal,
}

function factsOf(
  changes: ForeseenChange[] | Error,
  fields: Partial<ApprovalRequest> = {},
  inputSchema: JsonSchema = {},
) {
  const foresee = () => (changes instanceof Error ? Promise.reject(changes) : Promise.resolve(changes))
  const redact = createRedactor({ API_KEY: 'sk-0123456789abcdef0123' })
  return questionFacts({ ...request, ...fields }, { tool: { inputSchema, foresee }, input: {}, redact })
}

test('the facts of a question are what the request says, and no more', async () => {
  const facts = await factsOf([], { boundary: 'It runs here.', mustAsk: 'It is a document.', always: 'write_file(a)' })
  expect(facts).toEqual({
    effect: 'write',
    boundary: 'It runs here.',
    mustAsk: 'It is a document.',
    always: 'write_file(a)',
    inputSchema: {},
  })
})

test('a call inside reasoning is called that', async () => {
  expect((await factsOf([], { inReasoning: true })).note).toBe("This call is written inside the model's reasoning.")
  expect((await factsOf([])).note).toBeUndefined()
})

test('the command line of a program is sent word by word; what a call is about else is not', async () => {
  const words = ['wc', '-w', 'my notes.md']
  expect((await factsOf([], { subject: { kind: 'command', words } })).command).toEqual(words)
  expect((await factsOf([], { subject: { kind: 'path', paths: ['a'] } })).command).toBeUndefined()
})

test('keys in a file that would be changed are not sent', async () => {
  const diff = "@@ -1 +0,0 @@\n-key = 'sk-0123456789abcdef0123'"
  const facts = await factsOf([{ path: 'a', operation: 'update', diff }])
  expect(JSON.stringify(facts)).not.toContain('0123456789abcdef')
  expect(facts.diff).toContain('[redacted')
})

test('the files that would be changed are all sent, or none of them', async () => {
  const many = (count: number): ForeseenChange[] =>
    Array.from({ length: count }, (_, index) => ({ path: `file-${index}`, operation: 'delete' }))
  expect((await factsOf(many(400))).changes).toEqual(many(400))
  expect((await factsOf(many(4000))).changes).toBeUndefined()
})

test('a diff is sent whole or not at all', async () => {
  const long = { path: 'a', operation: 'update', diff: `@@ -1 +1 @@\n+${'x'.repeat(60_000)}`, linesBefore: 3 } as const
  expect(await factsOf([long])).toEqual({
    effect: 'write',
    changes: [{ path: 'a', operation: 'update', linesBefore: 3 }],
    check: expect.objectContaining({ stamp: expect.any(String) }),
    inputSchema: {},
  })
  const unknown = { path: 'b', operation: 'delete', linesBefore: 84 } as const
  const { diff, changes } = await factsOf([{ path: 'a', operation: 'add', diff: '@@ -0,0 +1 @@\n+a' }, unknown])
  expect(diff).toBeUndefined()
  expect(changes).toEqual([{ path: 'a', operation: 'add' }, unknown])
})

test('what cannot be foreseen is left out, and so is a schema that is too long', async () => {
  expect(await factsOf(new Error('no such file'), {}, { description: 'x'.repeat(60_000) })).toEqual({ effect: 'write' })
})
