import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { LanguageModelV3CallOptions } from '@ai-sdk/provider'
import { runDocument, type Store } from '@argot/agent'
import { userMessage } from '@argot/core'
import { parseLog } from '@argot/core/stream'
import { expect, test } from 'vitest'
import { share } from '../../../../test/share-of-cases.ts'
import { fakeTool } from '../loop/fake-tools.ts'
import { call, finish, scriptedModel, text } from '../scripted-model.ts'
import { dropLock, makeDocument, storeOf } from '../transcript/runs.ts'
import { DeadlyDisk, fastDisk } from '../transcript/unsafe-disk.ts'

const run = '1-run'
const source = '<config show_tool_call/>\n<tool name="look"/>\n\n<user>\nLook.\n</user>\n'
const moments = ['before', 'within', 'behind'] as const

function usersIn({ prompt }: LanguageModelV3CallOptions): string[] {
  return prompt.flatMap(({ role, content }) =>
    role === 'user' ? content.flatMap(part => (part.type === 'text' ? [part.text.trim()] : [])) : [],
  )
}

/** Posts as another process does: its disk does not die with that of the run. */
async function say(file: string, name: string): Promise<void> {
  const message = { ...userMessage(name), id: `user-${name}` }
  await storeOf(file, fastDisk).inbox.post(run, { id: `message:${name}`, type: 'message', message })
}

/** A run to which three messages are sent: one while its tool works, two while the model writes its first answer. */
function start(file: string, store: Store): Promise<unknown> {
  let users: string[] = []
  const look = fakeTool('look', 'read', async () => {
    await say(file, 'A')
    return 'seen'
  })
  const model = scriptedModel(
    [
      options => {
        users = usersIn(options)
        if (!options.prompt.some(({ role }) => role === 'tool'))
          return [...text('I look. '), ...call('c', 'look', { a: 'x' }), finish('tool-calls')]
        return `I have heard ${users.slice(1).join(' and ')}.`
      },
    ],
    {
      before: async ({ type }) => {
        if (type !== 'finish' || users.at(-1) !== 'A') return
        await say(file, 'B')
        await say(file, 'C')
      },
    },
  )
  const paths = { cwd: dirname(file), configFolder: join(dirname(file), 'config') }
  return runDocument(basename(file), { store, id: run, ...paths, env: {}, tools: [look], model }).result
}

/**
 * The document. A step that is made again has calls with other numbers, a torn append leaves an empty line, and of two messages
 * a crash may leave the second for the step after the next one.
 */
function textOf(file: string): string {
  const between = '<assistant>\nI have heard A and B.\n</assistant>\n\n'
  return readFileSync(file, 'utf8')
    .replaceAll(/"c\d+"/g, '"c"')
    .replaceAll(/\n{3,}/g, '\n\n')
    .replace(between, '')
}

/** The ids of the messages that users sent, as the logs have them. */
function joinedIn(file: string): string[] {
  const folder = join(dirname(file), '.chatmd', 'runs', basename(file))
  const lines = readdirSync(folder).flatMap(name => parseLog(readFileSync(join(folder, name), 'utf8')).lines)
  return lines.flatMap(({ chunk }) => (chunk.type === 'user-message' ? [chunk.messageId] : []))
}

test('killed at any operation on the disk, a run has each message that it was sent once, in order', async () => {
  const file = await makeDocument(source)
  const before = `${dirname(file)}-start`
  cpSync(dirname(file), before, { recursive: true })
  expect(await start(file, storeOf(file, fastDisk))).toMatchObject({ status: 'done' })
  const whole = textOf(file)
  expect(whole).toMatch(/I look\.[\s\S]*A\n[\s\S]*heard A\.[\s\S]*B\n[\s\S]*C\n[\s\S]*heard A and B and C\./)
  let deaths = 0
  for (let at = 0; ; at++) {
    rmSync(dirname(file), { recursive: true })
    cpSync(before, dirname(file), { recursive: true })
    const when = moments[at % 3]!
    if (!(await dies(file, at, when))) break
    deaths++
    // The next process dies, too, now and then.
    if (at % (share === 1 ? 1 : 4) === 0) await dies(file, (at * 7) % 40, when)
    const result = await start(file, storeOf(file, fastDisk))
    const place = `${when} ${at}`
    if (!/heard A and B and C\./.test(JSON.stringify(result)))
      expect(result, place).toMatchObject({ code: 'RUN_NOTHING_TO_ANSWER' })
    expect(textOf(file), place).toBe(whole)
    expect(joinedIn(file), place).toEqual(['user-A', 'user-B', 'user-C'])
  }
  rmSync(before, { recursive: true })
  expect(deaths).toBeGreaterThan(40)
})

/** False if the run ended before that operation. */
async function dies(file: string, at: number, when: (typeof moments)[number]): Promise<boolean> {
  const disk = new DeadlyDisk(at, when)
  await start(file, storeOf(file, disk))
  disk.bury()
  dropLock(file)
  return disk.count > at
}
