import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RunOptions, runDocument } from '@argot/agent'
import { fakeTool } from '../loop/fake-tools.ts'
import { call, finish, type ScriptedModel, scriptedModel, text } from '../scripted-model.ts'

/** A process of its own: runs the document of a folder, where answers come from elsewhere, and prints how it ended. */

export const documentName = 'chat.chatmd'
export const documentText = '<tool name="change"/>\n\n<user>\nGo.\n</user>\n'
export const effectsName = 'effects.txt'

/** `asks`: changes something, which needs a yes. `talks`: says a word every few milliseconds, for a minute. */
export type How = 'asks' | 'talks'

export function runningOptions(folder: string, how: How): RunOptions {
  return {
    model: how === 'asks' ? askingModel() : talkingModel(),
    tools: [
      fakeTool('change', 'write', ({ a }) => {
        appendFileSync(join(folder, effectsName), `${String(a)}\n`)
        return `changed ${String(a)}`
      }),
    ],
    cwd: folder,
    env: {},
    configFolder: join(folder, 'config'),
    ask: 'wait',
  }
}

function askingModel(): ScriptedModel {
  const steps = [
    [...text('I change it. '), ...call('c1', 'change', { a: 'one' }), finish('tool-calls')],
    [...text('It is changed.'), finish()],
  ]
  return scriptedModel([({ prompt }) => steps[prompt.some(({ role }) => role === 'tool') ? 1 : 0]!])
}

function talkingModel(): ScriptedModel {
  return scriptedModel([[...text('word '.repeat(12_000)), finish()]], { before: () => sleep(5) })
}

const [folder, how] = process.argv.slice(2)
if (how === 'asks' || how === 'talks') {
  const { status, text: said } = await runDocument(documentName, runningOptions(folder!, how)).result
  process.stdout.write(JSON.stringify({ status, said: said.length > 100 ? 'much' : said }))
}
