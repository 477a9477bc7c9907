import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PlantedCopy } from './guards/planted-copy.ts'
import { root } from './guards/workspace.ts'

const answerFile = 'packages/core/src/message/approval-answer.ts'
const journey = 'test/guards/answer-journey.ts'

let copy: PlantedCopy

beforeAll(() => {
  copy = new PlantedCopy()
  for (const path of [journey, 'packages/agent/test/scripted-model.ts']) copy.add(path)
})

afterAll(() => copy.remove())

const type = ['  approved: boolean\n', '  approved: boolean\n  planted?: string\n'] as const
const row = [
  '= {\n  approved: {',
  `= {\n  planted: { kind: 'text', attribute: 'approval_planted' },\n  approved: {`,
] as const

describe('a field that is planted in an answer', () => {
  test('travels from the card to the document and back, and no other file knows it', async () => {
    copy.plant(answerFile, [type, row])
    const tsx = ['--import', join(root, 'node_modules/tsx/dist/loader.mjs'), '--conditions=@argot/source']
    const { source, readers } = JSON.parse(await copy.run([...tsx, journey])) as {
      source: string
      readers: Record<string, unknown>
    }
    // A document shows what people look for in a review; the rest is beside it.
    expect(source).not.toContain('planted')
    const decision = { approved: true, reason: 'Yes.', always: true, planted: 'p' }
    const notes = { by: 'local', at: expect.any(Number) }
    for (const [reader, approval] of Object.entries(readers)) {
      // The page that gave the answer has shown it before the server took it.
      expect(approval, reader).toMatchObject(reader === 'page' ? decision : { ...decision, ...notes })
    }
  })

  test('fails to compile there alone without its row', async () => {
    copy.plant(answerFile, [type])
    expect(await copy.filesThatFail()).toEqual([answerFile])
  })

  test('and is used, takes as many source files as CONTRIBUTING.md says and at most nine: as `always` does', async () => {
    const renamed = [['  always?: boolean', '  planted?: boolean'] as const, ['  always: {', '  planted: {'] as const]
    copy.plant(answerFile, renamed)
    const files = [answerFile, ...(await copy.filesThatFail())]
    const [, count] = /\*\*an approval answer field\*\* \((\d+) files/.exec(
      readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8'),
    )!
    expect(count, files.join(', ')).toBe(String(files.length))
    expect(files.length).toBeLessThanOrEqual(9)
  })
})
