import type { LanguageModelV3, LanguageModelV3CallOptions, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { createAgent, defineTool } from '@argot/agent'
import { type Message, userMessage } from '@argot/core'
import { estimateTokens } from '@argot/core/stream/internal'
import { numberText, table } from './table.ts'

const WINDOW = 8000
/** What a turn may cost at the end of a conversation, beside one at its beginning: the prompt stays as it was. */
const GROWTH_LIMIT = 1.5

interface Turn {
  tokens: number
  summaries: number
  ms: number
}

/** What a turn of a long conversation costs: tokens that are paid for, and CPU time. */
export async function run({ full }: { full: boolean }): Promise<boolean> {
  const turns = full ? 1000 : 300
  console.log(`What a turn costs in a conversation of ${turns} turns and a window of ${WINDOW} tokens: a question, a call, its result and an answer.
Tokens are those that were sent, summaries included; ms are CPU time of the whole process.\n`)
  const kept = await talk(turns, 'auto')
  const whole = await talk(Math.min(turns, 300), 'never')
  const rows = [1, 2, 3].map(part => {
    const at = (all: readonly Turn[], of: number): Turn[] => all.slice(((part - 1) * of) / 3, (part * of) / 3)
    const mean = (all: readonly Turn[], pick: (turn: Turn) => number): number =>
      all.reduce((sum, turn) => sum + pick(turn), 0) / all.length
    const third = at(kept, kept.length)
    return {
      third: `third ${part}`,
      tokens: mean(third, turn => turn.tokens),
      ms: mean(third, turn => turn.ms),
      summaries: third.reduce((sum, turn) => sum + turn.summaries, 0),
      whole: mean(at(whole, whole.length), turn => turn.tokens),
    }
  })
  console.log(
    table(
      ['', 'tokens a turn', 'ms a turn', 'summaries', `without compaction (${whole.length} turns)`],
      rows.map(({ third, tokens, ms, summaries, whole: all }) => [
        third,
        numberText(tokens),
        numberText(ms),
        numberText(summaries),
        numberText(all),
      ]),
    ),
  )
  const growth = rows[2]!.tokens / rows[1]!.tokens
  const isFlat = growth <= GROWTH_LIMIT
  console.log(
    `\nThe last third costs ${growth.toFixed(2)} times the tokens of the one before it: ${isFlat ? 'flat' : 'NOT FLAT'} (at most ${GROWTH_LIMIT}).`,
  )
  return isFlat
}

async function talk(turns: number, compact: 'auto' | 'never'): Promise<Turn[]> {
  let tokens = 0
  let summaries = 0
  const model = countingModel((size, isSummary) => {
    tokens += size
    if (isSummary) summaries++
  })
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    effect: 'read',
    inputSchema: { type: 'object', properties: { at: { type: 'string' } } },
    execute: () => 'what is there, line by line, as a tool would say it. '.repeat(20),
  })
  const agent = createAgent({ model, tools: [look], env: {}, context: WINDOW, compact })
  const messages: Message[] = []
  const all: Turn[] = []
  for (let turn = 0; turn < turns; turn++) {
    tokens = 0
    summaries = 0
    const before = process.cpuUsage()
    messages.push({ ...userMessage(`Question ${turn}: what is at place ${turn}? `.repeat(5)), id: `u${turn}` })
    const { message } = await agent.run(messages).result
    messages.push(message!)
    const { user, system } = process.cpuUsage(before)
    all.push({ tokens, summaries, ms: (user + system) / 1000 })
  }
  return all
}

/** Looks once, then answers. */
function countingModel(count: (tokens: number, isSummary: boolean) => void): LanguageModelV3 {
  return {
    specificationVersion: 'v3',
    provider: 'bench',
    modelId: 'long',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('It only streams.')),
    async doStream({ prompt }: LanguageModelV3CallOptions) {
      const isSummary = prompt.length === 2 && prompt[0]!.role === 'system'
      const size = prompt.reduce((sum, { content }) => sum + estimateTokens(JSON.stringify(content)), 0)
      count(size, isSummary)
      const isLooked = isSummary || prompt.at(-1)!.role === 'tool'
      const parts: LanguageModelV3StreamPart[] = isLooked
        ? [
            { type: 'text-start', id: '0' },
            { type: 'text-delta', id: '0', delta: 'This is what is there, in a sentence or two. '.repeat(5) },
            { type: 'text-end', id: '0' },
            finish('stop', size),
          ]
        : [
            { type: 'tool-call', toolCallId: `call-${prompt.length}`, toolName: 'look', input: '{"at":"there"}' },
            finish('tool-calls', size),
          ]
      const stream = new ReadableStream<LanguageModelV3StreamPart>({
        start(controller) {
          for (const part of parts) controller.enqueue(part)
          controller.close()
        },
      })
      return { stream }
    },
  }
}

function finish(unified: 'stop' | 'tool-calls', tokens: number): LanguageModelV3StreamPart {
  return {
    type: 'finish',
    finishReason: { unified, raw: unified },
    usage: {
      inputTokens: { total: tokens, noCache: tokens, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 20, text: 20, reasoning: undefined },
    },
  }
}
