import { basename, dirname } from 'node:path'
import type { LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { userMessage } from '@argot/core'
import { syntaxes } from '@argot/core/syntax'
import { expect, test } from 'vitest'
import { createApprovals } from '../../src/approval/approvals.ts'
import { RuleBook } from '../../src/approval/rule-book.ts'
import { ClientOutputs } from '../../src/loop/calls/client-outputs.ts'
import { Loop } from '../../src/loop/loop.ts'
import { planBudget, planTalk } from '../../src/loop/plan.ts'
import { RunStream } from '../../src/loop/run-stream.ts'
import { Steering } from '../../src/loop/steering.ts'
import { toModel } from '../../src/run/to-model.ts'
import { type Disk, nodeDisk } from '../../src/store/folder/disk.ts'
import { Toolbox } from '../../src/tool/toolbox.ts'
import { fakeTool } from '../loop/fake-tools.ts'
import { finish, scriptedModel, text } from '../scripted-model.ts'
import { makeDocument, openOn } from './runs.ts'

/** A disk that notes what is written, and when the disk has it; that takes a while, as it does in life. */
function tracedDisk(note: (what: string) => void): Disk {
  const names = new Map<number, string>()
  const synced = (fd: number): void => note(`${names.get(fd)!} is on the disk`)
  return {
    ...nodeDisk,
    open(path, flags) {
      const fd = nodeDisk.open(path, flags)
      names.set(fd, nameOf(path))
      return fd
    },
    write(fd, bytes) {
      note(
        names.get(fd) === 'sidecar'
          ? 'sidecar'
          : `${names.get(fd)!}: ${describeText(Buffer.from(bytes).toString('utf8'))}`,
      )
      return nodeDisk.write(fd, bytes)
    },
    async sync(fd) {
      await turns()
      synced(fd)
    },
    syncNow: synced,
  }
}

function nameOf(path: string): string {
  if (basename(dirname(path)) === 'sidecars') return 'sidecar'
  if (path.endsWith('.jsonl')) return 'log'
  if (basename(dirname(path)) === 'runs') return 'folder of the logs'
  if (basename(path).startsWith('argot-transcript-')) return 'folder of the document'
  return path.endsWith('/chat.chatmd') ? 'document' : path.endsWith('/.chatmd') ? 'folder of the files' : basename(path)
}

/** The types of the chunks in lines of a log, the names of the elements in a piece of a document, or the text. */
function describeText(text: string): string {
  const words = [...text.matchAll(/"chunk":\{"type":"([^"]*)"|^<([a-z_]+)/gm)].map(
    ([, type, tag]) => type ?? `<${tag}>`,
  )
  return words.length === 0 ? text.trim() : words.join(' ')
}

/** Time enough for whatever does not wait. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise(resolve => setImmediate(resolve))
}

function use(toolCallId: string, toolName: string): LanguageModelV3StreamPart {
  return { type: 'tool-call', toolCallId, toolName, input: '{}' }
}

test('a call is in the log before its tool starts, and its result before it is in the document', async () => {
  const trace: string[] = []
  const note = (what: string): void => void trace.push(what)
  const worked = async (what: string): Promise<string> => {
    note(`${what} starts`)
    await turns()
    note(`${what} ends`)
    return 'x'
  }
  const tools = [fakeTool('look', 'read', () => worked('look')), fakeTool('change', 'write', () => worked('change'))]
  const steps = [
    [use('r', 'look'), use('w', 'change'), finish('tool-calls')],
    [...text('Done.'), finish()],
  ]
  const language = scriptedModel(steps, {
    // What only reads is done before the model continues.
    async before({ type }, step) {
      for (let pause = 0; pause < 3; pause++) await turns()
      if (type === 'finish') note(`the model ends step ${step + 1}`)
    },
  })
  const file = await makeDocument('<user>\nGo\n</user>\n')
  const transcript = await openOn(file, tracedDisk(note))
  await transcript.begin({ id: 'run-1', payloads: 'external' })
  const now = (): number => 0
  const model = await toModel(language, { env: {} })
  const plan = {
    messages: [userMessage('Go')],
    messageId: 'msg-1',
    tools: Toolbox.fromTools(tools),
    talk: planTalk({ model, syntax: syntaxes.get('native'), settings: {}, answer: undefined }, {}),
    rules: new RuleBook({ policy: 'all' }),
    budget: planBudget({}),
  }
  const loop = new Loop(plan, new RunStream({ run: '1', messageId: 'msg-1', transcript, now }), {
    signal: new AbortController().signal,
    now,
    pause: async () => {},
    notice: () => {},
    redact: value => value,
    people: {
      approvals: createApprovals({ policy: 'all' }),
      outputs: new ClientOutputs({ waits: false }),
      steering: new Steering(),
      signer: undefined,
      interrupted: 'ask',
      hasUniqueIds: false,
    },
  })
  expect(await loop.run()).toMatchObject({ status: 'done' })
  await transcript.close()
  expect(trace).toEqual([
    // The log, and the names of the folders above it, are on the disk before anything is said.
    'folder of the document is on the disk',
    'folder of the files is on the disk',
    'folder of the files is on the disk',
    'runs is on the disk',
    'log: {"argot":"run-log","version":1}',
    'log is on the disk',
    'folder of the logs is on the disk',
    // What comes in one turn is one write.
    'log: start data-argot-begin',
    'log: start-step',
    'log: tool-input-start tool-input-available',
    // A call that only reads starts as soon as its input is there, while the model still writes.
    'look starts',
    'look ends',
    'log: tool-output-available',
    'log: tool-input-start tool-input-available',
    'the model ends step 1',
    'log: data-argot-step',
    // The intent to change something is on the disk before the effect.
    'log: data-argot-call',
    'log is on the disk',
    'change starts',
    'change ends',
    'log: tool-output-available',
    // After a step the disk has the log. Only then come the files, the records, and last the elements of the document.
    'log: finish-step',
    'log is on the disk',
    '0.tool-call.c1.json: {}',
    '1.tool-call.c2.json: {}',
    '0.tool-call-result.c1.json: x',
    '1.tool-call-result.c2.json: x',
    'folder of the files is on the disk',
    'sidecar',
    'document: <tool_call> <tool_call> <tool_response> <tool_response>',
    // The document with all that belongs to it follows, unless it has just been brought there.
    'sidecar is on the disk',
    'sidecars is on the disk',
    '0.tool-call.c1.json is on the disk',
    '1.tool-call.c2.json is on the disk',
    '0.tool-call-result.c1.json is on the disk',
    '1.tool-call-result.c2.json is on the disk',
    'folder of the files is on the disk',
    'document is on the disk',
    'log: start-step',
    'log: text-start text-delta',
    'the model ends step 2',
    'log: text-end data-argot-step',
    'log: finish-step',
    'log is on the disk',
    'sidecar',
    'document: <assistant>',
    'log: finish',
    'log is on the disk',
    'sidecar',
    'sidecar is on the disk',
    'document is on the disk',
    'log: data-argot-written',
    'log is on the disk',
  ])
})
