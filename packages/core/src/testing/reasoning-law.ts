import { argotMetadata, type Chunk } from '../stream/chunk.ts'
import { joinDeltas, joinText } from './join-deltas.ts'
import { collectCalls, failLaw, type Law, looseTool, readPieces, type Trial } from './law.ts'

/**
 * If reasoning is never closed and ends with complete calls of known tools, these are calls and are marked as such, and
 * each character is in one place. In every other case, calls in reasoning are text: the reasoning is closed, thoughts
 * follow, the call is quoted in a fence, its tool isn't known, or the caller turned this off. Any cut gives the same
 * result.
 */
export const openReasoning: Law = {
  name: 'open reasoning',
  check(trial) {
    const { syntax, generate, count } = trial
    for (let i = 0; i < count(20); i++) {
      const call = { ...generate.plainCall(), toolName: 'known' }
      const source = syntax.format(call)
      const unknownCall = syntax.format({ ...generate.plainCall(), toolName: 'other', toolCallId: 'id2' })
      const thoughts = `<think>\nI could use ${generate.prose()}\n`
      expectCall(trial, thoughts, source, '')
      expectCall(trial, thoughts, source, '\n \n')
      expectCall(trial, `${thoughts}${source}\n\nNo, wait.\n\n`, source, '\n')
      expectText(trial, `${thoughts}${source}\n\nNo, wait.\n`)
      expectText(trial, `${thoughts}${source}\n</think>\n`)
      expectText(trial, `${thoughts}${source}\n\n${unknownCall}\n`)
      expectText(trial, `${thoughts}\`\`\`\`text\n${source}\n\`\`\`\`\n`)
      expectText(trial, `${thoughts}${source}\n`, 'text')
    }
  },
}

function expectCall(trial: Trial, before: string, source: string, after: string): void {
  const text = before + source + after
  const chunks = readAnyCut(trial, text)
  const calls = collectCalls(chunks)
  if (calls.length !== 1) failLaw('the call at the end of open reasoning is not read', { text, chunks })
  if (!calls.every(chunk => argotMetadata(chunk)?.inReasoning === true))
    failLaw('the call is not marked as part of the reasoning', { text, calls })
  // A line break after a call may be part of it.
  if (joinText(chunks).trimEnd() !== before.trimEnd())
    failLaw('the reasoning before the call is changed', { text, chunks })
}

function expectText(trial: Trial, text: string, reasoningCalls?: 'text'): void {
  const chunks = readAnyCut(trial, text, reasoningCalls)
  if (chunks.some(({ type }) => type.startsWith('tool-'))) failLaw('a call in reasoning runs', { text, chunks })
  if (joinText(chunks) !== text) failLaw('the reasoning is changed', { text, chunks })
}

function readAnyCut({ syntax, random }: Trial, text: string, reasoningCalls: 'open' | 'text' = 'open'): Chunk[] {
  const options = { tools: [looseTool('known', 'read')], reasoningCalls }
  const whole = readPieces(syntax, [text], options)
  const at = 1 + random.integer(text.length - 1)
  for (const pieces of [text.split(''), [text.slice(0, at), text.slice(at)]]) {
    const cut = readPieces(syntax, pieces, options)
    if (JSON.stringify(joinDeltas(cut)) !== JSON.stringify(joinDeltas(whole)))
      failLaw('cutting the text elsewhere changes the chunks', { text, pieces, whole, cut })
  }
  return whole
}
