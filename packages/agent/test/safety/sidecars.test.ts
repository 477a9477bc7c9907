/** A sidecar lies in a folder where others can write: what they copy, move, repeat or invent is never signed. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderStore, type Store } from '@argot/agent'
import { expect, onTestFinished, test } from 'vitest'

const text = '<user>\nHello.\n</user>\n'

async function place(): Promise<{ store: Store; file(document: string): string }> {
  const folder = mkdtempSync(join(tmpdir(), 'argot-sidecar-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['a.chatmd', 'b.chatmd']) writeFileSync(join(folder, name), text)
  const store = folderStore(folder, { key: Buffer.alloc(32, 7) })
  for (const name of ['a.chatmd', 'b.chatmd']) await add(store, name, [`${name} 1`, `${name} 2`, `${name} 3`])
  return { store, file: document => join(folder, '.chatmd/sidecars', `${document}.jsonl`) }
}

async function add(store: Store, document: string, values: readonly unknown[]): Promise<void> {
  const lease = await store.leases.take(document)
  const sidecar = await store.sidecars.open(document, lease)
  for (const value of values) sidecar.append(value)
  await sidecar.sync()
  await sidecar.close()
  await lease.release()
}

/** The records that are believed, in order. */
async function signed(store: Store): Promise<unknown[]> {
  const { records } = await store.sidecars.read('a.chatmd')
  return records.filter(({ isSigned }) => isSigned).map(({ value }) => value)
}

const attacks: Record<string, (lines: string[], other: string[]) => string[]> = {
  'a record of another document is copied in': (lines, other) => [...lines, other[2]!],
  'the records of another document take the place of these': ([head], other) => [head!, ...other.slice(1)],
  'a record is repeated': lines => [...lines, lines[1]!],
  'two records change places': ([head, first, second, ...rest]) => [head!, second!, first!, ...rest],
  'a value is changed under its signature': lines => lines.map(line => line.replace('a.chatmd 2', 'a.chatmd 9')),
  'a record is put under an unsigned one': lines => [...lines, `{"record":"forged"${lines[1]!.slice(-30)}`],
  'a line has two records': lines => [...lines, lines[1]!.replace('"record":', '"record":"forged","record":')],
  'another first line is put before': lines => ['{"argot":"sidecar","v":1,"id":"x"}', ...lines],
}

for (const [name, attack] of Object.entries(attacks)) {
  test(`${name}: nothing is signed that this user did not write there, in that order`, async () => {
    const { store, file } = await place()
    const lines = (document: string): string[] => readFileSync(file(document), 'utf8').trimEnd().split('\n')
    writeFileSync(file('a.chatmd'), `${attack(lines('a.chatmd'), lines('b.chatmd')).join('\n')}\n`)
    const own = ['a.chatmd 1', 'a.chatmd 2', 'a.chatmd 3']
    const kept = await signed(store)
    // A part of what was written, in its order.
    expect(own.filter(value => kept.includes(value))).toEqual(kept)
    await add(store, 'a.chatmd', ['next'])
    expect((await signed(store)).at(-1)).toBe('next')
  })
}

test('records of a later version are neither read nor added to', async () => {
  const { store, file } = await place()
  const before = readFileSync(file('a.chatmd'), 'utf8').replace('"v":1', '"v":2')
  writeFileSync(file('a.chatmd'), before)
  expect(await store.sidecars.read('a.chatmd')).toEqual({ version: 2, records: [] })
  await expect(add(store, 'a.chatmd', ['next'])).rejects.toThrow(/later version/)
  expect(readFileSync(file('a.chatmd'), 'utf8')).toBe(before)
})
