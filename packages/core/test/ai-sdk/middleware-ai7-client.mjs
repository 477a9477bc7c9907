// Runs in Node 24 with `ai` 7, whose place is the first argument: a model without tools of its own in every syntax, through
// `streamText`, `generateText` and `ToolLoopAgent`. Prints what came of each as JSON.
import { pathToFileURL } from 'node:url'
import { textSyntaxMiddleware } from '@argot/core/ai-sdk'
import { syntaxes } from '@argot/core/syntax'

const [, , place] = process.argv
const { generateText, isStepCount, jsonSchema, stepCountIs, streamText, ToolLoopAgent, tool, wrapLanguageModel } =
  await import(pathToFileURL(place).href)

const usage = {
  inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 4, text: 4, reasoning: 0 },
}
const finishReason = { unified: 'stop', raw: 'stop' }

/** A model of the newest kind that only writes text, three characters at a time. */
function textModel(replies) {
  const prompts = []
  const next = ({ prompt, tools }) => {
    prompts.push({ prompt, tools })
    return replies[Math.min(prompts.length, replies.length) - 1]
  }
  const model = {
    specificationVersion: 'v4',
    provider: 'test',
    modelId: 'text',
    supportedUrls: {},
    doGenerate: async options => ({
      content: [{ type: 'text', text: next(options) }],
      finishReason,
      usage,
      warnings: [],
    }),
    doStream: async options => {
      const parts = [
        { type: 'stream-start', warnings: [] },
        { type: 'text-start', id: '0' },
        ...(next(options).match(/.{1,3}/gs) ?? []).map(delta => ({ type: 'text-delta', id: '0', delta })),
        { type: 'text-end', id: '0' },
        { type: 'finish', finishReason, usage },
      ]
      return { stream: ReadableStream.from(parts) }
    },
  }
  return { model, prompts }
}

async function run(kind, name) {
  const syntax = syntaxes.get(name)
  const write = (toolCallId, input) => syntax.format({ toolCallId, toolName: 'weather', input })
  const calls = `${write('o', { city: 'Oslo', days: 2 })}\n\n${write('r', { city: 'Rome' })}`
  const { model, prompts } = textModel([`<think>Two cities.</think>\nI look.\n\n${calls}`, 'Rain in both.'])
  const called = []
  const weather = tool({
    description: 'Tells how the weather is in a city.',
    inputSchema: jsonSchema({
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city'],
    }),
    execute: async input => {
      called.push(input)
      return `rain in ${input.city}`
    },
  })
  const options = {
    model: wrapLanguageModel({ model, middleware: textSyntaxMiddleware(syntax) }),
    tools: { weather },
    stopWhen: (isStepCount ?? stepCountIs)(5),
  }
  const prompt = 'Oslo and Rome?'
  let result
  if (kind === 'streamText') result = streamText({ ...options, prompt })
  else if (kind === 'generateText') result = await generateText({ ...options, prompt })
  else result = await new ToolLoopAgent(options).stream({ prompt })
  const steps = await result.steps
  return {
    finish: steps.map(step => step.finishReason),
    reasoning: steps[0].reasoningText,
    said: steps[0].text.trim(),
    called,
    answer: await result.text,
    sentTools: prompts.map(({ tools }) => tools?.length ?? 0),
    sentResults: ['rain in Oslo', 'rain in Rome'].every(each => JSON.stringify(prompts[1].prompt).includes(each)),
  }
}

const found = {}
for (const name of syntaxes.names().filter(each => each !== 'native')) {
  for (const kind of ['streamText', 'generateText', 'ToolLoopAgent']) found[`${name} ${kind}`] = await run(kind, name)
}
console.log(JSON.stringify(found))
