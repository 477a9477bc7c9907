import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseLog } from '@argot/core/stream'
import type { RunResource } from '@argot/server/api'
import { expect, test } from 'vitest'
import { share } from '../../../../test/share-of-cases.ts'
import { documentText } from './scenario.ts'
import { buildServer, ServerLives } from './server-process.ts'

/** The operations at which servers die, each with another one for the server after it. */
const from = 12
const stride = share === 1 ? 1 : 9
const most = 90
const lanes = 2

const steering = ['Be short.', 'And kind.', 'Last one.']

test('a server that is killed at any operation has each message that it accepted once, in order', async () => {
  const program = buildServer()
  let next = from
  let deaths = 0
  const lane = async (): Promise<void> => {
    for (let at = next; at < most; at = next) {
      next += stride
      deaths += await steerAndDie(program, at)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  expect(deaths).toBeGreaterThan(3)
})

/** Gives how many servers died. */
async function steerAndDie(program: string, at: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'argot-server-steer-'))
  await mkdir(join(folder, 'docs'))
  await writeFile(join(folder, 'docs', 'chat.chatmd'), documentText('chat'))
  const lives = new ServerLives(
    program,
    folder,
    [`${at % 2 === 0 ? 'operation' : 'half'} ${at}`, `operation ${(at * 7) % 60}`],
    'all',
  )
  try {
    const send = (body: object, key: string) =>
      lives.ask<RunResource>('POST', '/api/runs', { document: 'chat.chatmd', ...body }, { 'idempotency-key': key })
    expect((await send({}, 'first')).status).toBe(201)
    // A client repeats what it got no answer to, with the same key.
    for (const [index, input] of steering.entries()) {
      expect((await send({ input, mode: 'steer' }, `s${index}`)).status).toBe(201)
    }
    await expect
      .poll(async () => (await lives.ask<{ runs: RunResource[] }>('GET', '/api/runs?state=open')).value.runs.length, {
        timeout: 60_000,
      })
      .toBe(0)
    const text = readFileSync(join(folder, 'docs', 'chat.chatmd'), 'utf8')
    const users = [...text.matchAll(/<user>\n(.*)\n<\/user>/g)].map(([, said]) => said)
    expect(users, `died at ${at}\n${text}`).toEqual(['Do all of chat.', ...steering])
    const logs = join(folder, 'docs', '.chatmd', 'runs', 'chat.chatmd')
    const lines = readdirSync(logs).flatMap(name => parseLog(readFileSync(join(logs, name), 'utf8')).lines)
    const joined = lines.flatMap(({ chunk }) => (chunk.type === 'user-message' ? [chunk.messageId] : []))
    expect(new Set(joined).size, `died at ${at}`).toBe(joined.length)
    // Every message is answered: the document ends with an answer.
    expect(text.trimEnd().endsWith('</assistant>'), text).toBe(true)
    expect(lives.problems).toEqual([])
    return lives.deaths
  } finally {
    await lives.close()
    await rm(folder, { recursive: true, force: true })
  }
}
