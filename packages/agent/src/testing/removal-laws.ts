import type { Store, TrashedDocument } from '../store/store.ts'
import { check, checkRefused, checkSame } from './check.ts'
import { KillPoint } from './kill-point.ts'
import { recordRun } from './record-run.ts'
import { parkedRun, wholeRun } from './scripted-chunks.ts'
import { documentPath, documentText, readAnswers, runId, type StoreLaw } from './store-law.ts'

const path = documentPath
const MOST_OPERATIONS = 1000

async function remove(store: Store, document: string = path): Promise<TrashedDocument> {
  const lease = await store.leases.take(document)
  try {
    return await store.documents.remove(document, lease)
  } finally {
    await lease.release()
  }
}

async function erase(store: Store, document: string = path): Promise<void> {
  const lease = await store.leases.take(document)
  try {
    await store.documents.erase(document, lease)
  } finally {
    await lease.release()
  }
}

async function readEverything(store: Store): Promise<unknown> {
  const { text } = await store.documents.read(path)
  const log = await store.logs.read(runId)
  const posts = log === undefined ? undefined : await store.inbox.read(runId)
  return { text, log, posts, entry: await store.logs.find(runId) }
}

async function checkGone(store: Store): Promise<void> {
  check(!(await store.documents.list()).includes(path), 'The list should not contain the document.')
  check(await fails(store.documents.read(path)), 'Reading it should fail.')
  checkSame(await store.logs.find(runId), undefined, 'Its run')
  checkSame(await store.logs.read(runId), undefined, 'Its log')
  checkSame(await store.logs.tail(runId, 0), [], 'The end of its log')
  checkSame(await store.logs.list(), [], 'The list of runs')
  const post = () => store.inbox.post(runId, { id: 'late', type: 'stop' })
  await checkRefused(post, 'RUN_NOT_FOUND', 'A post to its run')
}

function fails(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => false,
    () => true,
  )
}

export const removalLaws: readonly StoreLaw[] = [
  {
    name: 'removing a document removes its runs, and restoring it brings everything back unchanged',
    async check(place) {
      const store = place.open()
      await recordRun(store, parkedRun)
      await store.inbox.post(runId, { id: 'p', type: 'answer', approvalId: 'q', answer: { approved: true } })
      const before = await readEverything(place.open())
      const entry = await remove(store)
      checkSame(entry.path, path, 'The path of the trash entry')
      for (const one of [store, place.open()]) await checkGone(one)
      checkSame(await place.open().trash.list(), [entry], 'The trash')
      checkSame(await place.open().trash.list('other.chatmd'), [], 'The trash of another path')
      await place.open().trash.restore(entry)
      for (const one of [store, place.open()]) checkSame(await readEverything(one), before, 'The restored document')
      checkSame(await place.open().trash.list(), [], 'The trash afterwards')
      await checkRefused(() => store.trash.restore(entry), 'RUN_NOT_IN_TRASH', 'Restoring it again')
    },
  },
  {
    name: "a new document at a removed document's path doesn't get its runs, and the removed one stays in the trash",
    async check(place) {
      const store = place.open()
      await recordRun(store, wholeRun)
      const first = await remove(store)
      await store.documents.write(path, 'second', {})
      checkSame(await place.open().logs.list({ path }), [], 'The runs of the new document')
      await checkRefused(() => store.trash.restore(first), 'RUN_OUTPUT_EXISTS', 'Restoring the old one')
      checkSame((await place.open().documents.read(path)).text, 'second', 'The text')
      const second = await remove(store)
      check(first.id !== second.id, 'Each should have its own name.')
      checkSame(await place.open().trash.list(path), [first, second], 'The trash')
      await store.trash.restore(second)
      checkSame((await place.open().documents.read(path)).text, 'second', 'The restored document')
      checkSame(await place.open().logs.list({ path }), [], 'Its runs')
    },
  },
  {
    name: 'erasing a document leaves nothing behind, whether from its path or from the trash',
    async check(place) {
      const store = place.open()
      await recordRun(store, parkedRun)
      await store.inbox.post(runId, { id: 'p', type: 'stop' })
      await erase(store)
      for (const one of [store, place.open()]) await checkGone(one)
      checkSame(await place.open().trash.list(), [], 'The trash')
      await store.documents.write(path, documentText, {})
      await recordRun(store, wholeRun)
      const entry = await remove(store)
      await place.open().trash.erase(entry)
      await place.open().trash.erase(entry)
      for (const one of [store, place.open()]) await checkGone(one)
      checkSame(await place.open().trash.list(), [], 'The trash afterwards')
      await checkRefused(() => store.trash.restore(entry), 'RUN_NOT_IN_TRASH', 'Restoring it')
    },
  },
  {
    name: 'files that another document refers to are not erased, even if that document is in the trash',
    async check(place) {
      const store = place.open()
      await recordRun(store, wholeRun)
      const messages = await readAnswers(store)
      const { text } = await store.documents.read(path)
      const [living, trashed] = [await store.documents.branch(path, text), await store.documents.branch(path, text)]
      const entry = await remove(store, trashed)
      await erase(store)
      checkSame(await readAnswers(place.open(), living), messages, 'The messages of the branch')
      await erase(store, living)
      await store.trash.restore(entry)
      checkSame(await readAnswers(place.open(), trashed), messages, 'The messages of the restored document')
    },
  },
  {
    name: "only a document's holder can remove it",
    async check(_, create) {
      const place = await create({ [path]: documentText, 'other.chatmd': documentText })
      const store = place.open()
      const lease = await store.leases.take('other.chatmd')
      await checkRefused(() => store.documents.remove(path, lease), 'RUN_LEASE_LOST', 'Removing another document')
      await checkRefused(() => store.documents.erase(path, lease), 'RUN_LEASE_LOST', 'Erasing another document')
      await lease.release()
      const released = () => store.documents.remove('other.chatmd', lease)
      await checkRefused(released, 'RUN_LEASE_LOST', 'Removing with a released lease')
      checkSame(await place.open().documents.list(), [path, 'other.chatmd'], 'The list')
    },
  },
  {
    name: 'a removal killed at any operation leaves the document and its run at its path or in the trash',
    async check(_, create) {
      for (let operation = 0; ; operation++) {
        check(operation < MOST_OPERATIONS, 'A removal should end.')
        const place = await create()
        await recordRun(place.open(), parkedRun)
        const before = await readEverything(place.open())
        const kill = new KillPoint(operation, 'before')
        const isKilled = await fails(remove(place.open(kill)))
        await place.expire(path)
        const [entry, ...more] = await place.open().trash.list()
        checkSame(more, [], `Other trash entries, killed before operation ${operation}`)
        if (entry !== undefined) await place.open().trash.restore(entry)
        checkSame(
          await readEverything(place.open()),
          before,
          `The remaining document, killed before operation ${operation}`,
        )
        await place.remove()
        if (!isKilled) return
      }
    },
  },
]
