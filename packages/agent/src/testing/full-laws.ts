import type { Chunk } from '@argot/core'
import { check, checkSame } from './check.ts'
import { checkOffsets, getChunks } from './log-laws.ts'
import { finish, finishStep, modelDone, start, startStep, text } from './scripted-chunks.ts'
import type { StorePlace } from './store-harness.ts'
import { documentPath, documentText, runId, type StoreLaw } from './store-law.ts'

const path = documentPath
const chunks: readonly Chunk[] = [start, startStep, ...text('t', 'Hëllo', ' 🙂.'), modelDone, finishStep, finish()]
const MOST_ROOM = 20_000
/** Tries every seventh amount of room: lines are longer than that. */
const ROOM_STEP = 7

export const fullLaws: readonly StoreLaw[] = [
  {
    name: 'a log on a disk that fills up at any point has only complete lines, keeps everything flushed, and continues once there is space',
    needs: 'openFull',
    async check(_, create) {
      for (let room = 0, isRoomy = false; !isRoomy; room += ROOM_STEP) {
        check(room < MOST_ROOM, 'A short log should need less space.')
        isRoomy = await checkLog(await create(), room)
      }
    },
  },
  {
    name: 'on a disk that fills up at any point, an element is written completely or not at all, and a post is kept or refused',
    needs: 'openFull',
    async check(_, create) {
      for (let room = 0, isRoomy = false; !isRoomy; room += ROOM_STEP) {
        check(room < MOST_ROOM, 'A short element should need less space.')
        const place = await create()
        isRoomy = (await checkDocument(place, room)) && (await checkPost(place, room))
      }
    },
  },
]

/** True if there was room for everything. */
async function checkLog(place: StorePlace, room: number): Promise<boolean> {
  const { store, free } = place.openFull!(room)
  const lease = await store.leases.take(path)
  const log = await store.logs.open(path, runId, lease)
  let flushed = 0
  let isRoomy = true
  for (const [index, chunk] of chunks.entries()) {
    log.append(chunk)
    try {
      await log.flush()
      flushed = index + 1
    } catch {
      isRoomy = false
    }
  }
  const stored = await place.open().logs.read(runId)
  checkSame(getChunks(stored ?? { lines: [] }), chunks.slice(0, flushed), `With space for ${room} bytes, the log`)
  free()
  await log.sync()
  const whole = await place.open().logs.read(runId)
  check(whole !== undefined, 'The log should exist.')
  checkOffsets(whole)
  checkSame(getChunks(whole), chunks, `With space for ${room} bytes and then for everything, the log`)
  await log.close()
  await lease.release()
  return isRoomy
}

async function checkDocument(place: StorePlace, room: number): Promise<boolean> {
  const { store } = place.openFull!(room)
  const lease = await store.leases.take(path)
  const document = await store.documents.open(path, lease)
  const element = {
    id: 'm',
    role: 'user',
    status: 'sent',
    parts: [{ type: 'text', id: 'p', text: 'Ünd 🙂?' }],
  } as const
  const isRoomy = await document.append([{ type: 'message', message: element as never }], 'inline').then(
    () => true,
    () => false,
  )
  await document.close()
  await lease.release()
  const after = (await place.open().documents.read(path)).text
  if (isRoomy) check(after.startsWith(documentText) && after.includes('Ünd 🙂?'), 'The element should exist.')
  else checkSame(after, documentText, `With space for ${room} bytes, the document`)
  return isRoomy
}

async function checkPost(place: StorePlace, room: number): Promise<boolean> {
  const roomy = place.open()
  const lease = await roomy.leases.take(path)
  const log = await roomy.logs.open(path, runId, lease)
  log.append(start)
  await log.flush()
  const post = { id: 'p', type: 'stop', reason: 'Ënough 🙂' } as const
  const accepted = await place.openFull!(room)
    .store.inbox.post(runId, post)
    .then(
      () => true,
      () => false,
    )
  checkSame(await roomy.inbox.read(runId), accepted ? [post] : [], `With space for ${room} bytes, the inbox`)
  checkSame(await roomy.inbox.post(runId, { ...post, id: 'q' }), 'accepted', 'The next post')
  checkSame((await roomy.inbox.read(runId)).length, accepted ? 2 : 1, 'The number of posts')
  await log.close()
  await lease.release()
  return accepted
}
