import { accumulate, type Chunk, type Message, type ToolDefinition } from '@argot/core'
import { buildPrompt } from '@argot/core/ai-sdk'
import { GrowingPrompt } from '@argot/core/ai-sdk/internal'
import { native, xml } from '@argot/core/syntax'
import { expect, test } from 'vitest'

const language = { provider: 'test', supportedUrls: {} }
const tools: ToolDefinition[] = [{ name: 'look', inputSchema: { type: 'object' } }]

function user(...parts: Message['parts']): Message {
  return { id: 'u', role: 'user', status: 'sent', parts }
}

const question = user({ type: 'text', id: 'u:0', text: 'Look.', state: 'done' })
const picture = user({ type: 'file', url: 'https://pictures.example/a.png', mediaType: 'image/png' })

function step(toolCallId: string): Chunk[] {
  return [
    { type: 'start-step' },
    { type: 'tool-input-available', toolCallId, toolName: 'look', input: { toolCallId } },
    { type: 'tool-output-available', toolCallId, output: `saw ${toolCallId}` },
    { type: 'finish-step' },
  ]
}

/** A fold of a message with these chunks, in the middle of the next step. */
function folded(...chunks: Chunk[]) {
  const fold = accumulate()
  const push = (more: readonly Chunk[]): void => {
    for (const chunk of more) fold.push(chunk)
  }
  push([{ type: 'start', messageId: 'm' }, ...chunks])
  return { fold, push }
}

test.each([native, xml])('what was sent is not written a second time in $name', async syntax => {
  let written = 0
  const formatResult: typeof xml.formatResult = call => {
    written++
    return xml.formatResult(call)
  }
  const counting = { ...syntax, formatResult }
  const { fold, push } = folded()
  const growing = new GrowingPrompt([question], fold, { syntax: syntax === native ? native : counting, tools })
  let before = (await growing.build(language)).prompt
  for (let number = 0; number < 20; number++) {
    push([...step(`c${number}`), { type: 'start-step' }])
    const { prompt } = await growing.build(language)
    expect(prompt).not.toBe(before)
    expect(prompt).toHaveLength(before.length + 2)
    // The last step is the model's own; those before it are the same objects ever after.
    const shared = prompt.slice(2, -4)
    expect(shared.every((message, index) => message === before[index + 2])).toBe(true)
    before = prompt
  }
  expect(written).toBe(syntax === native ? 0 : 20)
})

test('a model that writes into its prompt does not change the next one', async () => {
  const system: Message = { ...question, role: 'system', id: 's' }
  const { fold, push } = folded(...step('a'), { type: 'start-step' })
  const growing = new GrowingPrompt([system, question], fold, { syntax: native, tools })
  const first = await growing.build(language)
  const kept = structuredClone(first.prompt)
  for (const message of first.prompt) message.providerOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } }
  for (const message of first.prompt) if (message.role === 'system') message.content += ' Be kind.'
  for (const message of first.prompt) if (message.role === 'user') message.content.push({ type: 'text', text: 'More.' })
  first.prompt.at(-1)!.content = []
  first.prompt.push({ role: 'system', content: 'added' })
  push([...step('b'), { type: 'start-step' }])
  const second = await growing.build(language)
  expect(second.prompt.slice(0, kept.length)).toEqual(kept)
})

test('a file is fetched once for all steps, and again after it could not be fetched', async () => {
  let asked = 0
  const fetchFile = async () => {
    if (++asked === 1) throw new Error('The server is down.')
    return { data: new Uint8Array([1]), mediaType: 'image/png' }
  }
  const { fold, push } = folded(...step('a'), { type: 'start-step' })
  const growing = new GrowingPrompt([picture], fold, { syntax: native, tools, fetchFile })
  await expect(growing.build(language)).rejects.toThrow('The server is down.')
  const { prompt } = await growing.build(language)
  push([...step('b'), { type: 'start-step' }])
  expect((await growing.build(language)).prompt.slice(0, 3)).toEqual(prompt)
  expect(asked).toBe(2)
})

test('a model of another provider gets the prompt as that provider takes it', async () => {
  const system: Message = { ...question, role: 'system', id: 's' }
  const { fold } = folded(...step('a'), { type: 'start-step' })
  const growing = new GrowingPrompt([question, system], fold, { syntax: native, tools })
  const roles = async (provider: string): Promise<string[]> =>
    (await growing.build({ provider, supportedUrls: {} })).prompt.map(message => message.role)
  expect(await roles('openai.chat')).toEqual(['user', 'system', 'assistant', 'tool'])
  expect(await roles('anthropic')).toEqual(['system', 'user', 'assistant', 'tool'])
})

test('a text that was sent as a step of its own is left out again when what followed it is taken back', async () => {
  const text = (id: string, delta: string): Chunk[] => [
    { type: 'start-step' },
    { type: 'text-start', id },
    { type: 'text-delta', id, delta },
    { type: 'text-end', id },
  ]
  const { fold, push } = folded(...text('t1', 'I will look.'), { type: 'finish-step' }, ...text('t2', 'Hm.'))
  const growing = new GrowingPrompt([question], fold, { syntax: native, tools })
  await growing.build(language)
  push([{ type: 'reset-step' }])
  const whole = await buildPrompt([question, fold.message!], { syntax: native, tools, language })
  expect((await growing.build(language)).prompt).toEqual(whole.prompt)
})
