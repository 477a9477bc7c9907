import { writeFileSync } from 'node:fs'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LanguageModelV3, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { morphXmlToolMiddleware } from '@ai-sdk-tool/parser'
import { createAgent, defineTool, type Run, runDocument } from '@argot/agent'
import { jsonSchema, stepCountIs, streamText, tool, wrapLanguageModel } from 'ai'
import { type AgentCase, preparedModel, xmlWithoutLimit } from './agent-cases.ts'

/** Something that lets a model do its work and reads everything that comes of it. */
export interface Runner {
  name: string
  /** Gives work that can be done any number of times; each returns how many calls and characters of text it saw. */
  prepare(what: AgentCase, size: number, wording: 'native' | 'xml'): () => Promise<Seen>
}

/** What a run has shown: a runner that gets less done must not win. */
export interface Seen {
  /** Of texts; blank ones, such as a line break after a call, are shown by some and left out by others. */
  characters: number
  outputs: number
}

const inputSchema = {
  type: 'object',
  properties: { path: { type: 'string' } },
  required: ['path'],
  additionalProperties: false,
} as const

const look = defineTool({
  name: 'look',
  description: 'Looks at a file.',
  effect: 'read',
  inputSchema,
  execute: () => 'ok',
})

/** What the model alone takes: its stream is read and nothing is done with it. */
export const modelAlone: Runner = {
  name: 'the model alone',
  prepare(what, size, wording) {
    const steps = what.steps(size, wording)
    return async () => {
      const model = preparedModel(steps)
      const seen: Seen = { characters: 0, outputs: 0 }
      for (const _ of steps) {
        const { stream } = await model.doStream({ prompt: [] })
        for await (const part of stream) if (part.type === 'tool-call') seen.outputs++
      }
      return seen
    }
  },
}

export const inMemory: Runner = {
  name: 'createAgent',
  prepare(what, size, wording) {
    const steps = what.steps(size, wording)
    const syntax = wording === 'xml' ? xmlWithoutLimit : wording
    return () => read(createAgent({ model: preparedModel(steps), syntax, tools: [look], maxSteps, env: {} }).run('Go.'))
  },
}

/** As many files as the calls have, written and brought to the disk: what a file system costs, whoever asks it. */
export const filesAlone: Runner = {
  name: 'the files alone',
  prepare(what, size) {
    const count = what.unit === 'call' ? 2 * size : 0
    return async () => {
      const folder = await mkdtemp(join(tmpdir(), 'argot-bench-'))
      try {
        const paths = Array.from({ length: count }, (_, n) => join(folder, `${n}.tool-call.c${n}.json`))
        for (const path of paths) writeFileSync(path, '{"a":"1"}', { flag: 'wx' })
        for (let at = 0; at < count; at += 4) await Promise.all(paths.slice(at, at + 4).map(syncFile))
        return { characters: 0, outputs: 0 }
      } finally {
        await rm(folder, { recursive: true })
      }
    }
  },
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path)
  await file.datasync()
  await file.close()
}

export const onDisk: readonly Runner[] = (['external', 'inline'] as const).map(payloads => ({
  name: `runDocument, ${payloads}`,
  prepare(what, size, wording) {
    const steps = what.steps(size, wording)
    const config = payloads === 'inline' ? '<config show_tool_call/>\n' : ''
    return async () => {
      const cwd = await mkdtemp(join(tmpdir(), 'argot-bench-'))
      try {
        await writeFile(join(cwd, 'chat.chatmd'), `${config}<tool name="look"/>\n\n<user>\nGo.\n</user>\n`)
        const shared = { tools: [look], maxSteps: maxStepsOfDocument, env: {}, cwd, configFolder: join(cwd, 'config') }
        return await read(runDocument('chat.chatmd', { ...shared, model: preparedModel(steps), syntax: wording }))
      } finally {
        await rm(cwd, { recursive: true })
      }
    }
  },
}))

export const peers: readonly Runner[] = (['fullStream', 'toUIMessageStream'] as const).map(way => ({
  name: `ai ${way}`,
  prepare(what, size, wording) {
    const steps = what.steps(size, wording === 'xml' ? 'peer-xml' : wording)
    return () => readPeer(steps, wording, way)
  },
}))

const maxSteps = 1_000_000
/** A document takes no more. */
const maxStepsOfDocument = 1_000

async function read(run: Run): Promise<Seen> {
  const seen: Seen = { characters: 0, outputs: 0 }
  for await (const chunk of run) {
    if (chunk.type === 'text-delta') seen.characters += charactersOf(chunk.delta)
    else if (chunk.type === 'tool-output-available') seen.outputs++
  }
  const result = await run.result
  if (result.status !== 'done')
    throw new Error(`The run ended as ${result.status}${'error' in result ? `: ${result.error}` : ''}.`)
  return seen
}

function charactersOf(text: string): number {
  return text.trim() === '' ? 0 : text.length
}

async function readPeer(
  steps: readonly (readonly LanguageModelV3StreamPart[])[],
  wording: 'native' | 'xml',
  way: 'fullStream' | 'toUIMessageStream',
): Promise<Seen> {
  const prepared: LanguageModelV3 = preparedModel(steps)
  const model =
    wording === 'xml' ? wrapLanguageModel({ model: prepared, middleware: morphXmlToolMiddleware }) : prepared
  const result = streamText({
    model,
    prompt: 'Go.',
    tools: {
      look: tool({
        description: look.description!,
        inputSchema: jsonSchema(inputSchema as unknown as Parameters<typeof jsonSchema>[0]),
        execute: () => 'ok',
      }),
    },
    stopWhen: stepCountIs(maxSteps),
  })
  const seen: Seen = { characters: 0, outputs: 0 }
  if (way === 'fullStream') {
    for await (const part of result.fullStream) {
      if (part.type === 'text-delta') seen.characters += charactersOf(part.text)
      else if (part.type === 'tool-result') seen.outputs++
    }
  } else {
    for await (const chunk of result.toUIMessageStream()) {
      if (chunk.type === 'text-delta') seen.characters += charactersOf(chunk.delta)
      else if (chunk.type === 'tool-output-available') seen.outputs++
    }
  }
  return seen
}
