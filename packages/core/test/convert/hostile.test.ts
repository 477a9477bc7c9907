/** Siblings that were tried besides: blanks within a line and CRLF; deep outputs, metadata and data parts. */
import { convert } from '@argot/core/convert'
import type { TranscriptFormat } from '@argot/core/convert/internal'
import { expect, test } from 'vitest'

const formats: readonly TranscriptFormat[] = ['chatmd', 'callout', 'ui-messages', 'jsonl']
const uiMessage = (part: object): string => JSON.stringify([{ id: 'm', role: 'assistant', parts: [part] }])

test.each([
  ['blank lines in a document', 'a.chatmd', (n: number) => `<assistant>\na${'\n'.repeat(n)}b\n</assistant>\n`],
  ['blank lines in Markdown', 'a.md', (n: number) => `hello${'\n'.repeat(n)}b\n`],
  ['blanks in a line', 'a.md', (n: number) => `hello${' '.repeat(n)}b\n`],
  [
    'blank lines around a call',
    'a.md',
    (n: number) => `a${'\n'.repeat(n)}> [!tool x c1]\n> input: {}\n${'\n'.repeat(n)}b`,
  ],
  ['line ends of Windows', 'a.json', (n: number) => uiMessage({ type: 'text', text: `a${'\r\n'.repeat(n / 2)}b` })],
])('%s take work in proportion to their number', async (_, file, make) => {
  const work = async (size: number): Promise<number> => {
    const source = make(size)
    const before = process.cpuUsage()
    for (const to of formats) await convert(source, { to, file })
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
  await work(1000)
  // Eight times as many; 64 times the work would be the square. What is below 100 ms says nothing.
  const [small, large] = [await work(25_000), await work(200_000)]
  expect(large).toBeLessThan(Math.max(100, small) * 32)
})

const deep = (depth: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}
const deepText = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
const tool = '{"type":"dynamic-tool","toolName":"t","toolCallId":"c","state":"output-available"'
const message = (part: string): string => `[{"id":"m","role":"assistant","parts":[${part}]}]`

test.each([
  ['an input', 'a.json', message(`${tool},"input":${deepText(10_000)},"output":1}`)],
  ['an output', 'a.json', message(`${tool},"input":1,"output":${deepText(10_000)}}`)],
  [
    'metadata of a call',
    'a.json',
    message(`${tool},"input":1,"output":2,"callProviderMetadata":{"a":${deepText(10_000)}}}`),
  ],
  ['a data part', 'a.json', message(`{"type":"data-x","data":${deepText(10_000)}}`)],
  ['metadata', 'a.json', `[{"id":"m","role":"user","parts":[],"metadata":{"a":${deepText(10_000)}}}]`],
  [
    'a chunk',
    'a.jsonl',
    `{"type":"tool-input-available","toolCallId":"c","toolName":"t","input":${deepText(10_000)}}\n`,
  ],
  [
    'a payload of a document',
    'a.chatmd',
    `<user>\nGo.\n</user>\n<tool_call function_name="t" tool_call_id="c">\n${deepText(10_000)}\n</tool_call>\n`,
  ],
])('JSON 10 000 levels deep in %s is converted, or said to be too deep', async (_, file, source) => {
  for (const to of formats) {
    const { text, diagnostics } = await convert(source, { to, file })
    expect(text.length > 0 || diagnostics.length > 0).toBe(true)
  }
})

test('the text of a value that is too deep is kept', async () => {
  const source = message(`${tool},"input":${deepText(10_000)},"output":1}`)
  const { text } = await convert(source, { to: 'ui-messages', file: 'a.json' })
  const [{ parts }] = JSON.parse(text) as [{ parts: { input: unknown }[] }]
  expect(parts[0]!.input).toBe(deepText(10_000))
  const shallow = uiMessage({ ...JSON.parse(`${tool}}`), input: deep(400), output: 1 })
  const kept = JSON.parse((await convert(shallow, { to: 'ui-messages', file: 'a.json' })).text)
  expect(kept[0].parts[0].input).toEqual(deep(400))
})
