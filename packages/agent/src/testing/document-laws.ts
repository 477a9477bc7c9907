import { accumulate } from '@argot/core'
import type { TranscriptRecord } from '@argot/core/chatmd/internal'
import type { Payloads } from '../store/store.ts'
import { RunElements } from '../transcript/run-elements.ts'
import { check, checkRefused, checkSame, inTime } from './check.ts'
import { wholeRun } from './scripted-chunks.ts'
import { documentPath, documentText, readAnswers, runId, type StoreLaw } from './store-law.ts'

const path = documentPath

function makeRunElements(): { batches: TranscriptRecord[][]; message: unknown } {
  const fold = accumulate()
  const elements = new RunElements(runId)
  const batches: TranscriptRecord[][] = []
  for (const [offset, chunk] of wholeRun.entries()) {
    fold.push(chunk)
    const records = elements.take(chunk, offset, fold).flatMap(element => element.records)
    if (records.length > 0) batches.push(records)
  }
  return { batches, message: fold.message }
}

function appendLaw(payloads: Payloads): StoreLaw {
  return {
    name: `appended elements read back unchanged (payloads ${payloads})`,
    async check(place) {
      const store = place.open()
      const { batches, message } = makeRunElements()
      const lease = await store.leases.take(path)
      const document = await store.documents.open(path, lease)
      checkSame(document.text, documentText, 'The text of an open document')
      for (const records of batches) await document.append(records, payloads)
      await document.sync()
      const { text } = await place.open().documents.read(path)
      checkSame(document.text, text, 'The text after the appends')
      check(text.startsWith(documentText), 'The document should keep its earlier text.')
      checkSame(await readAnswers(place.open()), [message], 'The messages read back')
      await document.close()
      await lease.release()
    },
  }
}

function getVersion(settled: PromiseSettledResult<string>): string | undefined {
  return settled.status === 'fulfilled' ? settled.value : undefined
}

export const documentLaws: readonly StoreLaw[] = [
  {
    name: 'a document reads back unchanged, and its version changes with its text',
    async check(place) {
      const store = place.open()
      const before = await store.documents.read(path)
      checkSame(before.text, documentText, 'The text')
      checkSame((await place.open().documents.read(path)).version, before.version, 'The version of the same text')
      const lease = await store.leases.take(path)
      const version = await store.documents.write(path, 'Ünd 🙂 nun\r\n', { after: before.version, lease })
      const after = await place.open().documents.read(path)
      checkSame(after, { text: 'Ünd 🙂 nun\r\n', version }, 'The document after a write')
      check(after.version !== before.version, 'A different text should have a different version.')
      await lease.release()
    },
  },
  {
    name: 'a write based on an old version is refused and changes nothing',
    async check(place) {
      const store = place.open()
      const { version } = await store.documents.read(path)
      const lease = await store.leases.take(path)
      await store.documents.write(path, 'second', { after: version, lease })
      const late = () => store.documents.write(path, 'third', { after: version, lease })
      await checkRefused(late, 'RUN_FILE_CHANGED', 'A write based on an old version')
      const blind = () => store.documents.write(path, 'third', { lease })
      await checkRefused(blind, 'RUN_FILE_CHANGED', 'Creating a document that exists')
      checkSame((await store.documents.read(path)).text, 'second', 'The text')
      await lease.release()
    },
  },
  {
    name: 'a write without an earlier version creates a document, and only once',
    async check(place) {
      const stores = [place.open(), place.open(), place.open()]
      const create = (name: string, text: string) => place.open().documents.write(name, text, {})
      const results = await Promise.allSettled(
        stores.map(({ documents }, index) => documents.write('below/new.chatmd', `text ${index}`, {})),
      )
      const winner = results.findIndex(({ status }) => status === 'fulfilled')
      checkSame(
        results.filter(({ status }) => status === 'fulfilled').length,
        1,
        'The number of writers that could create it',
      )
      await checkRefused(() => create('below/new.chatmd', 'x'), 'RUN_FILE_CHANGED', 'Creating it again')
      const { text, version } = await place.open().documents.read('below/new.chatmd')
      checkSame(
        { text, version },
        { text: `text ${winner}`, version: getVersion(results[winner]!) },
        'The new document',
      )
      checkSame(await place.open().documents.list(), ['below/new.chatmd', path], 'The list')
    },
  },
  {
    name: "a lease on one document doesn't allow writes to another",
    async check(_, create) {
      const place = await create({ [path]: documentText, 'other.chatmd': documentText })
      const store = place.open()
      const lease = await store.leases.take('other.chatmd')
      const { version } = await store.documents.read(path)
      const write = () => store.documents.write(path, 'x', { after: version, lease })
      await checkRefused(write, 'RUN_LEASE_LOST', "A write with another document's lease")
      await lease.release()
      const released = () => store.documents.write('other.chatmd', 'x', { after: version, lease })
      await checkRefused(released, 'RUN_LEASE_LOST', 'A write with a released lease')
      checkSame((await store.documents.read(path)).text, documentText, 'The text')
    },
  },
  appendLaw('inline'),
  appendLaw('external'),
  {
    name: 'no element is appended to a document that another process changed, then or later',
    async check(place) {
      const store = place.open()
      const lease = await store.leases.take(path)
      const document = await store.documents.open(path, lease)
      const [first, second] = makeRunElements().batches
      await document.append(first!, 'inline')
      const { version } = await store.documents.read(path)
      await store.documents.write(path, documentText, { after: version, lease })
      const append = () => document.append(second!, 'inline')
      await checkRefused(append, 'RUN_FILE_CHANGED', 'An append to a changed document')
      await checkRefused(append, 'RUN_FILE_CHANGED', 'The next append')
      checkSame((await store.documents.read(path)).text, documentText, 'The text')
      await document.close()
      await lease.release()
    },
  },
  {
    name: 'text that is cut off is kept elsewhere, and the rest accepts appends',
    async check(place) {
      const store = place.open()
      const lease = await store.leases.take(path)
      const document = await store.documents.open(path, lease)
      const length = documentText.indexOf('naïve')
      check((await document.cut(length)) !== '', 'The place that keeps it should have a name.')
      checkSame(document.text, documentText.slice(0, length), 'The text of the open document')
      checkSame((await place.open().documents.read(path)).text, documentText.slice(0, length), 'The text')
      await document.append(makeRunElements().batches[0]!, 'inline')
      check(
        (await store.documents.read(path)).text.length > length,
        'The appended element should follow the remaining text.',
      )
      await document.close()
      await lease.release()
    },
  },
  {
    name: 'a branch never replaces another document',
    async check(place) {
      const { documents } = place.open()
      const first = await documents.branch(path, 'one')
      const second = await documents.branch(path, 'two')
      const named = await documents.branch(path, 'three', 'named.chatmd')
      checkSame(new Set([path, first, second, named]).size, 4, 'The number of documents')
      await checkRefused(() => documents.branch(path, 'four', 'named.chatmd'), 'RUN_OUTPUT_EXISTS', 'A branch to it')
      await checkRefused(() => documents.branch(path, 'four', path), 'RUN_OUTPUT_EXISTS', 'A branch to itself')
      const texts = await Promise.all([path, first, second, named].map(one => place.open().documents.read(one)))
      checkSame(
        texts.map(({ text }) => text),
        [documentText, 'one', 'two', 'three'],
        'The texts',
      )
      checkSame(await documents.list(), [path, first, second, named].sort(), 'The list')
    },
  },
  {
    name: "a missing document can't be read",
    async check(place) {
      const { documents } = place.open()
      const failure = await documents.read('nowhere.chatmd').then(
        () => undefined,
        (error: unknown) => error,
      )
      check(failure instanceof Error, 'Reading it fails.')
    },
  },
  {
    name: 'the list contains every document, sorted',
    async check(_, create) {
      const place = await create({ 'b.chatmd': 'b', 'a.chatmd': 'a', 'below/c.chatmd': 'c' })
      checkSame(await place.open().documents.list(), ['a.chatmd', 'b.chatmd', 'below/c.chatmd'], 'The list')
    },
  },
  {
    name: 'a watcher gets changes until it is aborted',
    async check(place) {
      const store = place.open()
      const stop = new AbortController()
      const changes = place.open().documents.watch(stop.signal)[Symbol.asyncIterator]()
      const lease = await store.leases.take(path)
      let isOver = false
      const next = changes.next().finally(() => (isOver = true))
      for (let count = 0; !isOver; count++) {
        const { version } = await store.documents.read(path)
        await store.documents.write(path, `change ${count}`, { after: version, lease })
        await Promise.race([next, new Promise(resolve => setTimeout(resolve, 20))])
        check(count < 1000, 'The watcher should get the change.')
      }
      checkSame(await next, { value: path, done: false }, 'The change that the watcher got')
      stop.abort()
      for (let change = await inTime(changes.next(), 'The end'); change.done !== true; change = await changes.next());
      await lease.release()
    },
  },
]
