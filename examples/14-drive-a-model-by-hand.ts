import type { LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { accumulate, getMessageText, type Message, toolCalls } from '@argot/core'
import { buildPrompt, ReplyReader } from '@argot/core/ai-sdk'
import { caret } from '@argot/core/syntax'
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test'

// In your program: any model of an AI SDK provider, for example `openai('gpt-5.4-mini')`. This one has no tool calls.
const says = ['I look it up.\n\n^^^weather\ncity: Oslo\n^^^', 'It rains in Oslo.']
const model = new MockLanguageModelV3({
  doStream: async () => ({ stream: simulateReadableStream({ chunks: replyOf(says.shift()!) }) }),
})

const weather = {
  name: 'weather',
  description: 'Tells how the weather is in a city.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}
const question: Message = {
  id: 'm1',
  role: 'user',
  status: 'sent',
  parts: [{ type: 'text', id: 't', text: 'How is the weather in Oslo?', state: 'done' }],
}

const syntax = caret // or `native`, for a model with tool calls of its own
const answer = accumulate({ nextId: () => 'm2', now: () => 0 })
answer.push({ type: 'start', messageId: 'm2' })
for (let step = 1; ; step++) {
  const said = answer.message === undefined ? [] : [answer.message]
  const { prompt, tools } = await buildPrompt([question, ...said], { syntax, tools: [weather], language: model })
  const { stream } = await model.doStream({ prompt, ...(tools && { tools }) })

  answer.push({ type: 'start-step' })
  const reply = new ReplyReader({ syntax, tools: [weather], step })
  for await (const part of stream) for (const chunk of reply.push(part)) answer.push(chunk)
  for (const chunk of reply.end()) answer.push(chunk)

  const calls = toolCalls(answer.message!).filter(call => call.state === 'input-available')
  for (const { toolCallId, toolName, input } of calls) {
    console.log(`${toolName} ${JSON.stringify(input)}`)
    answer.push({ type: 'tool-output-available', toolCallId, output: 'rain, 4 °C' })
  }
  answer.push({ type: 'finish-step' })
  if (calls.length === 0) break
}
answer.push({ type: 'finish', finishReason: 'stop' })
console.log(getMessageText(answer.message!))

function replyOf(text: string): LanguageModelV3StreamPart[] {
  const inputTokens = { total: 40, noCache: 40, cacheRead: 0, cacheWrite: 0 }
  const outputTokens = { total: 12, text: 12, reasoning: 0 }
  return [
    { type: 'text-start', id: '0' },
    ...text.split(/(?<=\s)/).map(delta => ({ type: 'text-delta', id: '0', delta }) as const),
    { type: 'text-end', id: '0' },
    { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: { inputTokens, outputTokens } },
  ]
}
