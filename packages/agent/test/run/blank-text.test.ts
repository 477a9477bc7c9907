import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runDocument } from '@argot/agent'
import { expect, test } from 'vitest'
import { fakeTool } from '../loop/fake-tools.ts'
import { call, finish, type ScriptedStep, scriptedModel, text } from '../scripted-model.ts'
import { documentFolder, follow } from './document-folder.ts'

async function run(steps: readonly ScriptedStep[], syntax?: string) {
  const folder = await documentFolder({ 'chat.chatmd': '<tool name="look"/>\n\n<user>\nGo.\n</user>\n' })
  const options = { cwd: folder, configFolder: join(folder, 'config'), env: {}, tools: [fakeTool('look', 'read')] }
  const { result } = await follow(runDocument('chat.chatmd', { ...options, syntax, model: scriptedModel(steps) }))
  const texts = (result.message?.parts ?? []).flatMap(part => (part.type === 'text' ? [part.text] : []))
  return { texts, result, written: await readFile(join(folder, 'chat.chatmd'), 'utf8') }
}

test.each([
  ['xml', '\n\n<tool:look>\n<param:a>x</param:a>\n</tool:look>\n\n'],
  ['caret', '\n^^^look\na: x\n^^^\n\n'],
])('blanks around a call in %s are no part of the message, and make no element', async (syntax, written) => {
  const { texts, written: document, result } = await run([`I look.${written}`, written, 'Done.\n\n'], syntax)
  expect(result.status).toBe('done')
  expect(texts.map(one => one.trim())).toEqual(['I look.', 'Done.'])
  expect(document.match(/<tool_call /g)).toHaveLength(2)
  expect(document).not.toMatch(/<assistant [^>]*>\s*<\/assistant>/)
})

test('blanks inside what is said stay, and a blank text with data of its provider does too', async () => {
  const signed = { google: { thoughtSignature: 'abc' } }
  const steps: ScriptedStep[] = [
    [
      { type: 'text-start', id: 't0', providerMetadata: signed },
      { type: 'text-delta', id: 't0', delta: ' ' },
      { type: 'text-end', id: 't0' },
      ...text('\n\n', 't1'),
      ...call('c1', 'look', {}),
      finish('tool-calls'),
    ],
    [...text('  a\n\nb\n', 't2'), finish('stop')],
  ]
  expect((await run(steps)).texts).toEqual([' ', '  a\n\nb\n'])
})
