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
    name: `elements that are appended are read back, with payloads ${payloads}`,
    async check(place) {
      const store = place.open()
      const { batches, message } = makeRunElements()
      const lease = await store.leases.take(path)
      const document = await store.documents.open(path, lease)
      checkSame(document.text, documentText, 'The text of an open document')
      for (const records of batches) await document.append(records, payloads)
      await document.sync()
      const { text } = await place.open().documents.read(path)
      checkSame(document.text, text, 'The text after appending')
      check(text.startsWith(documentText), 'What was in the document before is still there.')
      checkSame(await readAnswers(place.open()), [message], 'What is read back')
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
    name: 'a document is read as it was written, and its version changes with its text',
    async check(place) {
      const store = place.open()
      const before = await store.documents.read(path)
      checkSame(before.text, documentText, 'The text')
      checkSame((await place.open().documents.read(path)).version, before.version, 'The version of the same text')
      const lease = await store.leases.take(path)
      const version = await store.documents.write(path, 'Ünd 🙂 nun\r\n', { after: before.version, lease })
      const after = await place.open().documents.read(path)
      checkSame(after, { text: 'Ünd 🙂 nun\r\n', version }, 'The document after a write')
      check(after.version !== before.version, 'Another text has another version.')
      await lease.release()
    },
  },
  {
    name: 'a write after another change is refused, and changes nothing',
    async check(place) {
      const store = place.open()
      const { version } = await store.documents.read(path)
      const lease = await store.leases.take(path)
      await store.documents.write(path, 'second', { after: version, lease })
      const late = () => store.documents.write(path, 'third', { after: version, lease })
      await checkRefused(late, 'RUN_FILE_CHANGED', 'A write after another change')
      const blind = () => store.documents.write(path, 'third', { lease })
      await checkRefused(blind, 'RUN_FILE_CHANGED', 'Creating a document that is there')
      checkSame((await store.documents.read(path)).text, 'second', 'The text')
      await lease.release()
    },
  },
  {
    name: 'a document is created by writing it after nothing, once',
    async check(place) {
      const stores = [place.open(), place.open(), place.open()]
      const create = (name: string, text: string) => place.open().documents.write(name, text, {})
      const results = await Promise.allSettled(
        stores.map(({ documents }, index) => documents.write('below/new.chatmd', `text ${index}`, {})),
      )
      const winner = results.findIndex(({ status }) => status === 'fulfilled')
      checkSame(results.filter(({ status }) => status === 'fulfilled').length, 1, 'How many could create it')
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
    name: 'the lease of one document does not write another',
    async check(_, create) {
      const place = await create({ [path]: documentText, 'other.chatmd': documentText })
      const store = place.open()
      const lease = await store.leases.take('other.chatmd')
      const { version } = await store.documents.read(path)
      const write = () => store.documents.write(path, 'x', { after: version, lease })
      await checkRefused(write, 'RUN_LEASE_LOST', 'A write with the lease of another document')
      await lease.release()
      const released = () => store.documents.write('other.chatmd', 'x', { after: version, lease })
      await checkRefused(released, 'RUN_LEASE_LOST', 'A write with a lease that was released')
      checkSame((await store.documents.read(path)).text, documentText, 'The text')
    },
  },
  appendLaw('inline'),
  appendLaw('external'),
  {
    name: 'an element is not appended to a document that somebody else has changed, then or later',
    async check(place) {
      const store = place.open()
      const lease = await store.leases.take(path)
      const document = await store.documents.open(path, lease)
      const [first, second] = makeRunElements().batches
      await document.append(first!, 'inline')
      const { version } = await store.documents.read(path)
      await store.documents.write(path, documentText, { after: version, lease })
      const append = () => document.append(second!, 'inline')
      await checkRefused(append, 'RUN_FILE_CHANGED', 'An append to a document that was changed')
      await checkRefused(append, 'RUN_FILE_CHANGED', 'The next one')
      checkSame((await store.documents.read(path)).text, documentText, 'The text')
      await document.close()
      await lease.release()
    },
  },
  {
    name: 'what is cut off is kept elsewhere, and the rest can be appended to',
    async check(place) {
      const store = place.open()
      const lease = await store.leases.take(path)
      const document = await store.documents.open(path, lease)
      const length = documentText.indexOf('naïve')
      check((await document.cut(length)) !== '', 'The place where it is kept has a name.')
      checkSame(document.text, documentText.slice(0, length), 'The text of the open document')
      checkSame((await place.open().documents.read(path)).text, documentText.slice(0, length), 'The text')
      await document.append(makeRunElements().batches[0]!, 'inline')
      check((await store.documents.read(path)).text.length > length, 'An element follows what was kept.')
      await document.close()
      await lease.release()
    },
  },
  {
    name: 'a branch never takes the place of another document',
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
    name: 'a document that is not there cannot be read',
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
    name: 'the list has every document, sorted',
    async check(_, create) {
      const place = await create({ 'b.chatmd': 'b', 'a.chatmd': 'a', 'below/c.chatmd': 'c' })
      checkSame(await place.open().documents.list(), ['a.chatmd', 'b.chatmd', 'below/c.chatmd'], 'The list')
    },
  },
  {
    name: 'who watches hears of changes, until the signal',
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
        check(count < 1000, 'Nobody hears of it.')
      }
      checkSame(await next, { value: path, done: false }, 'What is heard')
      stop.abort()
      for (let change = await inTime(changes.next(), 'The end'); change.done !== true; change = await changes.next());
      await lease.release()
    },
  },
]
