import { describe, expect, onTestFinished, test } from 'vitest'
import { startCompatible } from '../../agent/test/model/servers/compatible.ts'
import { commandLine, folderWith } from './argot.ts'
import { inProcess } from './in-process.ts'
import { hasScript, onTerminal, words } from './on-terminal.ts'

const document = '<config model="openai-compatible:test"/>\n<user>\nTell me.\n</user>\n'

async function place(config?: object): Promise<{ cwd: string; env: Record<string, string> }> {
  const settings = config === undefined ? {} : { 'argot.config.json': JSON.stringify(config) }
  const cwd = await folderWith({ 'chat.chatmd': document, ...settings })
  const server = await startCompatible([{ text: 'Said.', usage: { input: 1000, output: 500 } }])
  onTestFinished(() => server.close())
  return { cwd, env: { HOME: cwd, ...server.env } as Record<string, string> }
}

interface Told {
  usage: { inputTokens: number; outputTokens: number }
  cost?: number
}

async function resultOf(args: readonly string[], at: { cwd: string; env: Record<string, string> }): Promise<Told> {
  const { stderr } = await inProcess(['run', `${at.cwd}/chat.chatmd`, '--json', ...args], at)
  return (JSON.parse(stderr.trim().split('\n').at(-1)!) as { result: Told }).result
}

describe('what a run cost', () => {
  test('is what --price says of its tokens', async () => {
    const { usage, cost } = await resultOf(['--price', '2.5/10'], await place())
    expect(usage).toMatchObject({ inputTokens: 1000, outputTokens: 500 })
    expect(cost).toBeCloseTo(0.0075)
  })

  test('is what the settings say, and nothing where nobody knows', async () => {
    const prices = { 'openai-compatible:test': { input: 1, output: 2 } }
    expect((await resultOf([], await place({ prices }))).cost).toBeCloseTo(0.002)
    expect((await resultOf([], await place())).cost).toBeUndefined()
  })

  test.skipIf(!hasScript)('is in the last line on a terminal', async () => {
    const at = await place()
    const seen = words(await onTerminal(commandLine(['run', 'chat.chatmd', '--price', '2.5/10']), [], at))
    expect(seen).toMatch(/1 step, 1,500 tokens \(1,000 in, 500 out\), cost 0\.0075, .* s\. Transcript: chat\.chatmd/)
  })

  test('is wrong usage where it is not a price', async () => {
    const at = await place()
    for (const wrong of ['2.5', '2.5/', 'a/b', '-1/2', '1/2/3', '']) {
      const { status, stderr } = await inProcess(['run', `${at.cwd}/chat.chatmd`, '--price', wrong], at)
      expect([status, stderr]).toEqual([2, expect.stringContaining('two numbers such as 2.5/10')])
    }
  })
})
