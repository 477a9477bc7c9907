import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import { formatSendKey, type SendName, toCurrentKeys } from '../../src/runs/queue/send-key.ts'
import { serveFolder } from '../served-folder.ts'

const text = '<user>\nHello.\n</user>\n'
const part = fc.array(fc.constantFrom('a', ' ', 'message', '"', ',', '[', '\\', '.chatmd', 'é'), { maxLength: 6 })
const word = part.map(pieces => pieces.join(''))
const name: fc.Arbitrary<SendName> = fc.oneof(
  word.map(key => ({ key })),
  word.map(message => ({ message })),
)
const send = fc.tuple(fc.constantFrom('runs' as const, 'chat' as const), word, name)

/** The same words, cut into a document and a key at some place. */
const words = fc.array(fc.constantFrom('a', 'message', '"', ',', '","', '[', '\\', 'b.chatmd'), {
  minLength: 2,
  maxLength: 5,
})
const cuts = fc.tuple(fc.constantFrom('runs' as const, 'chat' as const), fc.nat(4), fc.boolean())
type Cut = [scope: 'runs' | 'chat', at: number, isMessage: boolean]

function cutAt(all: readonly string[], [scope, at, isMessage]: Cut, glue: string): Parameters<typeof formatSendKey> {
  const rest = all.slice(at).join(glue)
  return [scope, all.slice(0, at).join(glue), isMessage ? { message: rest } : { key: rest }]
}

test('two different sends never have the same key', () => {
  fc.assert(
    fc.property(words, cuts, cuts, fc.constantFrom(' ', ',', '","', '/', '\n', ''), (all, first, second, glue) => {
      const one = cutAt(all, first, glue)
      const other = cutAt(all, second, glue)
      const isSame = JSON.stringify(one) === JSON.stringify(other)
      expect(formatSendKey(...one) === formatSendKey(...other)).toBe(isSame)
    }),
    { numRuns: shareOf(10_000) },
  )
})

test('a key of an older journal has the key of the same send among its new ones', () => {
  fc.assert(
    fc.property(send, ([scope, document, one]) => {
      const rest = 'key' in one ? one.key : `message ${one.message}`
      const job = { run: '1', document, at: 1, key: `${scope} ${document} ${rest}` }
      expect(toCurrentKeys(job)).toContain(formatSendKey(scope, document, one))
      expect(toCurrentKeys({ ...job, key: formatSendKey(scope, document, one) })).toEqual([])
    }),
  )
})

test('two chats whose names and keys join to the same text are two chats', async () => {
  const { ask, read } = await serveFolder(['One.', 'Two.', 'Three.', 'Four.'], {
    files: { 'a.chatmd': text, 'a.chatmd b.chatmd': text },
  })
  const chat = async (id: string, message: string, key?: string): Promise<string | null> => {
    const body = { id, messages: [{ id: message, role: 'user', parts: [{ type: 'text', text: 'Hi' }] }] }
    const answer = await ask('POST', '/api/chat', body, key === undefined ? {} : { 'idempotency-key': key })
    await answer.text()
    return answer.headers.get('x-argot-run-id')
  }
  const runs = [
    await chat('a', 'm', 'b.chatmd k'),
    await chat('a.chatmd b', 'm', 'k'),
    await chat('a', 'x'),
    await chat('a', 'other', 'message x'),
  ]
  expect(new Set(runs).size).toBe(4)
  expect(runs).not.toContain(null)
  expect(await chat('a.chatmd b', 'm', 'k')).toBe(runs[1])
  expect((await read('a.chatmd')).match(/<user/g)).toHaveLength(4)
  expect((await read('a.chatmd b.chatmd')).match(/<user/g)).toHaveLength(2)
})

test('a send that an older version accepted is joined when it is repeated', async () => {
  const served = await serveFolder([], { files: { 'a.chatmd': text } })
  await served.server.close()
  const body = { document: 'a.chatmd', input: 'Hi' }
  const digest = createHash('sha256').update(JSON.stringify(body)).digest('hex')
  const job = (run: string, key: string) => ({
    type: 'job',
    epoch: 9,
    job: { run, document: 'a.chatmd', key, digest, at: 1 },
  })
  const end = (run: string) => ({ type: 'end', epoch: 9, run })
  const lines = [job('old-1', 'runs a.chatmd k1'), end('old-1'), job('old-2', 'runs a.chatmd message m2'), end('old-2')]
  await mkdir(join(served.folder, '../state'), { recursive: true })
  await writeFile(
    join(served.folder, '../state', 'runs.jsonl'),
    `${lines.map(line => JSON.stringify(line)).join('\n')}\n`,
  )
  const next = await served.restart(['New.'])
  const send = async (key: string): Promise<string> =>
    ((await (await next.ask('POST', '/api/runs', body, { 'idempotency-key': key })).json()) as { id: string }).id
  expect(await send('k1')).toBe('old-1')
  expect(await send('message m2')).toBe('old-2')
  const fresh = await send('k2')
  expect(fresh).not.toMatch(/^old/)
  await next.until(fresh, 'done')
})
