import type { FileKind, Lease, SidecarRecord, Store } from '../store/store.ts'
import { check, checkRefused, checkSame } from './check.ts'
import { KillPoint } from './kill-point.ts'
import { recordRun } from './record-run.ts'
import { parkedRun } from './scripted-chunks.ts'
import type { StorePlace } from './store-harness.ts'
import { documentPath, documentText, readAnswers, runId, type StoreLaw } from './store-law.ts'

const path = documentPath
const otherFolderPath = 'folder/other.chatmd'
const payload = '7.tool-call.call_1.json'
const MOST_OPERATIONS = 1000

async function withLease<Value>(
  store: Store,
  document: string,
  work: (lease: Lease) => Promise<Value>,
): Promise<Value> {
  const lease = await store.leases.take(document)
  try {
    return await work(lease)
  } finally {
    await lease.release()
  }
}

async function addRecords(
  store: Store,
  values: readonly unknown[],
  isSigned?: boolean,
  document = path,
): Promise<void> {
  await withLease(store, document, async lease => {
    const sidecar = await store.sidecars.open(document, lease)
    for (const value of values) sidecar.append(value, { isSigned })
    await sidecar.sync()
    await sidecar.close()
  })
}

async function readRecords(store: Store, document = path): Promise<readonly SidecarRecord[]> {
  return (await store.sidecars.read(document)).records
}

async function readText(store: Store, kind: FileKind, name: string, document = path): Promise<string | undefined> {
  const bytes = await store.files(document).read(kind, name)
  return bytes === undefined ? undefined : Buffer.from(bytes).toString()
}

async function readEverything(store: Store, document: string): Promise<unknown> {
  const { text } = await store.documents.read(document)
  const log = await store.logs.read(runId)
  return {
    text,
    lines: log?.lines,
    posts: await store.inbox.read(runId),
    messages: await readAnswers(store, document),
    state: (await store.logs.find(runId))?.state,
    records: await readRecords(store, document),
    attachments: await store.files(document).list('attachments'),
    attached: await readText(store, 'attachments', 'picture.png', document),
    index: await readText(store, 'sources', 'index.json', document),
  }
}

async function fillDocument(place: StorePlace): Promise<unknown> {
  const store = place.open()
  await recordRun(store, parkedRun)
  await store.inbox.post(runId, { id: 'p', type: 'answer', approvalId: 'q', answer: { approved: true } })
  await addRecords(store, [{ element: 1 }])
  await store.files(path).write('attachments', 'picture.png', 'bytes')
  await store.files(path).write('sources', 'index.json', '{"places":[]}')
  return readEverything(place.open(), path)
}

function rename(store: Store, to: string): Promise<void> {
  return withLease(store, path, lease => store.documents.rename(path, to, lease))
}

function fails(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => false,
    () => true,
  )
}

export const belongingLaws: readonly StoreLaw[] = [
  {
    name: 'a file next to a document reads back unchanged; each kind is separate, and a write replaces the whole file',
    async check(place) {
      const names = { payloads: payload, sources: 'a'.repeat(64), cache: 'k.json', attachments: 'A b.png' } as const
      const bytes = Uint8Array.from({ length: 1000 }, (_, index) => index % 256)
      for (const [kind, name] of Object.entries(names) as [FileKind, string][]) {
        const files = place.open().files(path)
        checkSame(await files.read(kind, name), undefined, `A missing file in ${kind}`)
        await files.write(kind, name, 'first')
        await files.write(kind, name, bytes)
        const stored = await place.open().files(path).read(kind, name)
        check(
          Buffer.from(bytes).equals(stored ?? Buffer.of()),
          `The file in ${kind} should have the bytes that were written.`,
        )
        checkSame(await place.open().files(path).list(kind), [name], `The names in ${kind}`)
        for (const bad of ['../x', 'a/b', '.hidden', '', '..', 'a\\b', 'a\0b']) {
          check(await fails(files.write(kind, bad, 'x')), `Writing a file called \`${bad}\` to ${kind} should fail.`)
          check(await fails(files.read(kind, bad)), `Reading a file called \`${bad}\` from ${kind} should fail.`)
        }
      }
      const files = place.open().files(path)
      await files.remove('attachments', 'A b.png')
      await files.remove('attachments', 'A b.png')
      checkSame(await files.list('attachments'), [], 'The attachments after the last one was removed')
    },
  },
  {
    name: 'a file write killed at any operation leaves either the old file or the new one',
    async check(_, create) {
      for (let operation = 0; ; operation++) {
        check(operation < MOST_OPERATIONS, 'A write should end.')
        const place = await create()
        await place.open().files(path).write('attachments', 'a.txt', 'old')
        const kill = new KillPoint(operation, 'before')
        const isKilled = await fails(place.open(kill).files(path).write('attachments', 'a.txt', 'a new one'))
        const text = await readText(place.open(), 'attachments', 'a.txt')
        check(
          text === 'a new one' || (isKilled && text === 'old'),
          `Killed before operation ${operation}, the file should have the old or the new text, but has \`${text}\`.`,
        )
        checkSame(await place.open().files(path).list('attachments'), ['a.txt'], 'The names')
        if (!isKilled) return
      }
    },
  },
  {
    name: 'a sidecar keeps its records in order across several holders, and reports which are signed',
    async check(place) {
      checkSame(await place.open().sidecars.read(path), { version: 1, records: [] }, 'A missing sidecar')
      const expected: SidecarRecord[] = []
      for (const [index, isSigned] of [true, false, true, undefined].entries()) {
        const values = [{ index, text: 'Ünï 🙂\n,"m":"' }, [index], null]
        await addRecords(place.open(), values, isSigned)
        expected.push(...values.map(value => ({ value, isSigned: isSigned ?? true })))
        checkSame(await readRecords(place.open()), expected, 'The records')
      }
    },
  },
  {
    name: "a stranger's record is not signed, and doesn't affect whether this user's records are",
    needs: 'openAsStranger',
    async check(place) {
      await addRecords(place.open(), ['own'])
      await addRecords(place.openAsStranger!(), ['forged'])
      await addRecords(place.open(), ['own again'])
      checkSame(
        await readRecords(place.open()),
        [
          { value: 'own', isSigned: true },
          { value: 'forged', isSigned: false },
          { value: 'own again', isSigned: true },
        ],
        'The records',
      )
      const records = await readRecords(place.openAsStranger!())
      checkSame(
        records.map(({ isSigned }) => isSigned),
        [false, true, false],
        'The signed records, as the stranger sees them',
      )
    },
  },
  {
    name: 'a sidecar killed at any operation keeps all flushed records, and the next holder continues it',
    async check(_, create) {
      for (let operation = 0; ; operation++) {
        check(operation < MOST_OPERATIONS, 'Writing a few records should end.')
        for (const when of ['before', 'after'] as const) {
          const place = await create()
          await addRecords(place.open(), [0])
          let flushed = 0
          const work = async (): Promise<void> => {
            const store = place.open(new KillPoint(operation, when))
            const lease = await store.leases.take(path)
            const sidecar = await store.sidecars.open(path, lease)
            for (const value of [1, 2, 3]) {
              sidecar.append(value)
              await sidecar.flush()
              flushed = value
            }
            await sidecar.sync()
            await lease.release()
          }
          const isKilled = await fails(work())
          await place.expire(path)
          const values = (await readRecords(place.open())).map(({ value }) => value)
          checkSame(values, [0, 1, 2, 3].slice(0, values.length), `The records, killed ${when} operation ${operation}`)
          check(values.length > flushed, `Killed ${when} operation ${operation}, all flushed records should exist.`)
          await addRecords(place.open(), ['next'])
          const after = await readRecords(place.open())
          checkSame(
            after.map(({ value }) => value),
            [...values, 'next'],
            'The records after the next holder wrote',
          )
          check(
            after.every(({ isSigned }) => isSigned),
            'All records should be signed.',
          )
          await place.remove()
          if (!isKilled) return
        }
      }
    },
  },
  {
    name: 'a sidecar with a torn last record keeps all others, and the next holder continues it',
    needs: 'tear',
    async check(place) {
      await addRecords(place.open(), ['first', 'torn'])
      await place.tearSidecar!(path)
      checkSame(await readRecords(place.open()), [{ value: 'first', isSigned: true }], 'The records')
      await addRecords(place.open(), ['next'])
      const expected = ['first', 'next'].map(value => ({ value, isSigned: true }))
      checkSame(await readRecords(place.open()), expected, 'The records after the next holder wrote')
    },
  },
  {
    name: 'a sidecar on a disk that fills up at any point has only complete records, and continues once there is space',
    needs: 'openFull',
    async check(_, create) {
      for (let room = 0, isRoomy = false; !isRoomy; room += 7) {
        check(room < 20_000, 'A few records should need less space.')
        const place = await create()
        const { store, free } = place.openFull!(room)
        const lease = await store.leases.take(path)
        const sidecar = await store.sidecars.open(path, lease)
        isRoomy = true
        for (const value of [1, 2, 3]) {
          sidecar.append(value)
          if (await fails(sidecar.flush())) isRoomy = false
        }
        const values = (await readRecords(place.open())).map(({ value }) => value)
        checkSame(values, [1, 2, 3].slice(0, values.length), `With space for ${room} bytes, the records`)
        free()
        await sidecar.sync()
        checkSame(
          await readRecords(place.open()),
          [1, 2, 3].map(value => ({ value, isSigned: true })),
          'With more space',
        )
        await place.remove()
      }
    },
  },
  {
    name: "only the holder of a document can add records, and a holder that lost it can't",
    async check(_, create) {
      const place = await create({ [path]: documentText, 'other.chatmd': documentText })
      const store = place.open()
      const other = await store.leases.take('other.chatmd')
      await checkRefused(() => store.sidecars.open(path, other), 'RUN_LEASE_LOST', "Another document's sidecar")
      const lease = await store.leases.take(path)
      const sidecar = await store.sidecars.open(path, lease)
      sidecar.append('in time')
      await sidecar.flush()
      await place.expire(path)
      await addRecords(place.open(), ['of the next'])
      sidecar.append('late')
      await checkRefused(() => sidecar.flush(), 'RUN_LEASE_LOST', 'A record from a process that lost the document')
      const values = (await readRecords(place.open())).map(({ value }) => value)
      checkSame(values, ['in time', 'of the next'], 'The records')
    },
  },
  {
    name: 'a document keeps everything when it is renamed, moved to another folder or restored from the trash',
    async check(_, create) {
      for (const to of ['renamed.chatmd', otherFolderPath]) {
        const place = await create()
        const before = await fillDocument(place)
        await rename(place.open(), to)
        checkSame(await readEverything(place.open(), to), before, `The content of ${to}`)
        checkSame(await place.open().documents.list(), [to], 'The list')
        checkSame(await place.open().trash.list(), [], 'The trash')
        checkSame((await place.open().logs.find(runId))?.path, to, "The run's document")
        checkSame(await place.open().logs.list({ path }), [], 'The runs of the old path')
        await place.open().documents.write(path, documentText, {})
        checkSame(await readRecords(place.open()), [], 'The records of a new document at the old path')
        checkSame(await place.open().files(path).list('attachments'), [], 'Its attachments')
        const store = place.open()
        const trashed = await withLease(store, to, lease => store.documents.remove(to, lease))
        checkSame(await readRecords(place.open(), to), [], 'The records of the document in the trash')
        await place.open().trash.restore(trashed)
        checkSame(await readEverything(place.open(), to), before, 'The restored document')
        await withLease(store, to, lease => store.documents.erase(to, lease))
        await place.open().documents.write(to, documentText, {})
        checkSame(await readRecords(place.open(), to), [], 'The records after the erase')
        checkSame(await place.open().files(to).list('attachments'), [], 'The attachments after the erase')
        await place.remove()
      }
    },
  },
  {
    name: "a document can't take another document's path, and only its holder can rename it",
    async check(_, create) {
      const place = await create({ [path]: documentText, 'other.chatmd': 'other' })
      const store = place.open()
      await checkRefused(
        () => rename(store, 'other.chatmd'),
        'RUN_OUTPUT_EXISTS',
        "Renaming to another document's path",
      )
      const lease = await store.leases.take('other.chatmd')
      await checkRefused(
        () => store.documents.rename(path, 'new.chatmd', lease),
        'RUN_LEASE_LOST',
        'Renaming another document',
      )
      await lease.release()
      await rename(store, path)
      checkSame(await store.documents.list(), [path, 'other.chatmd'], 'The list')
      checkSame((await store.documents.read('other.chatmd')).text, 'other', "The other document's text")
    },
  },
  {
    name: 'a rename killed at any operation leaves the complete document at one path or in the trash',
    async check(_, create) {
      for (const to of ['renamed.chatmd', otherFolderPath]) {
        for (let operation = to === otherFolderPath ? 0 : 1; ; operation += 3) {
          check(operation < MOST_OPERATIONS, 'A rename should end.')
          const place = await create()
          const before = await fillDocument(place)
          const kill = new KillPoint(operation, 'before')
          const isKilled = await fails(rename(place.open(kill), to))
          await place.expire(path)
          await place.expire(to)
          const [entry, ...more] = await place.open().trash.list()
          checkSame(more, [], `Other trash entries, killed before operation ${operation}`)
          if (entry !== undefined) await place.open().trash.restore(entry)
          const documents = await place.open().documents.list()
          checkSame(documents.length, 1, `The number of documents, killed before operation ${operation}`)
          const isExpected = entry === undefined ? [path, to].includes(documents[0]!) : documents[0] === entry.path
          check(
            isExpected,
            `Killed before operation ${operation}, the document should be at its old or new path, but is at ${documents[0]}.`,
          )
          checkSame(
            await readEverything(place.open(), documents[0]!),
            before,
            `The content of ${documents[0]}, killed before operation ${operation}`,
          )
          await place.remove()
          if (!isKilled) break
        }
      }
    },
  },
]
