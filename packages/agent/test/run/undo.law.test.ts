import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readTurnChanges, undoTurn } from '@argot/agent/internal'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import { optionsFor, playTurn, snapshot, undoPlace } from './undo-folder.ts'

const names = ['a.txt', 'b.txt', 'new/deep/c.txt', 'new/d.txt'] as const
const anyName = fc.constantFrom(...names)
const anyText = fc.constantFrom('one\n', 'one\ntwo\n', 'x', '', 'süß\r\nend\r\n')

/** Calls that may fit the files as they are, or fail: both belong to a turn. */
const anyCall: fc.Arbitrary<[string, unknown]> = fc.oneof(
  fc.tuple(anyName, anyText).map(([path, content]): [string, unknown] => ['write_file', { path, content }]),
  fc
    .tuple(
      anyName,
      anyText.filter(text => text !== ''),
    )
    .map(([path, content]): [string, unknown] => ['append_to_file', { path, content }]),
  anyName.map((path): [string, unknown] => ['find_and_replace', { path, search: 'one', replace: 'ONE' }]),
  anyName.map((path): [string, unknown] => ['apply_patch', { patch: patch(`*** Delete File: ${path}`) }]),
  anyName.map((path): [string, unknown] => ['apply_patch', { patch: patch(`*** Add File: ${path}\n+added`) }]),
  fc
    .tuple(anyName, anyName)
    .map(([path, to]): [string, unknown] => [
      'apply_patch',
      { patch: patch(`*** Update File: ${path}\n*** Move to: ${to}\n@@\n-one\n+1`) },
    ]),
)

function patch(text: string): string {
  return `*** Begin Patch\n${text}\n*** End Patch\n`
}

test('an undo gives every file the bytes and the permissions that it had before the turn, leaves no folder of it, and says so once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyCall, { minLength: 1, maxLength: 6 }), async calls => {
      const place = await undoPlace({ 'project/a.txt': 'one\n', 'project/b.txt': 'one\ntwo\n' })
      chmodSync(join(place.project, 'b.txt'), 0o750)
      const before = snapshot(place.project)
      const run = await playTurn(
        place,
        calls.map(one => [one]),
      )
      const after = snapshot(place.project)
      const changes = await readTurnChanges(place.file, run, optionsFor(place))
      expect(changes).toMatchObject({ run, isOver: true, message: `msg-${run}`, effects: [] })
      const names = changes.files.flatMap(({ path, from }) => [path, ...(from === undefined ? [] : [from])])
      const isFile = (name: string): boolean => !name.endsWith('/')
      const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
        name => isFile(name) && before[name] !== after[name],
      )
      const bytesChanged = changed.filter(name => before[name]?.split(' ')[1] !== after[name]?.split(' ')[1])
      expect(names.sort()).toEqual(bytesChanged.sort())
      for (const { state, added, removed } of changes.files) {
        expect(state).toBe('ready')
        expect([added, removed]).toEqual([expect.any(Number), expect.any(Number)])
      }
      const undo = await undoTurn(place.file, run, optionsFor(place))
      expect(undo.files.every(({ outcome }) => outcome === 'restored')).toBe(true)
      const files = Object.fromEntries(
        Object.entries(snapshot(place.project)).filter(([name]) => name !== 'inside.txt'),
      )
      expect({ ...files, 'inside.txt': before['inside.txt'] }).toEqual(before)
      const again = await undoTurn(place.file, run, optionsFor(place))
      expect(again.files.map(({ outcome }) => outcome)).toEqual(undo.files.map(() => 'already'))
      expect(again.undoneAt).toBe(undo.files.length === 0 ? again.undoneAt : undo.undoneAt)
      const states = (await readTurnChanges(place.file, run, optionsFor(place))).files.map(({ state }) => state)
      expect(states).toEqual(undo.files.map(() => 'undone'))
    }),
    { numRuns: shareOf(150) },
  )
})

test('a file that changed since the turn is left alone, and all others are restored', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(anyName, { minLength: 1 }), anyName, async (written, touched) => {
      const place = await undoPlace({ 'project/a.txt': 'one\n' })
      const run = await playTurn(place, [
        written.map((path): [string, unknown] => ['write_file', { path, content: `new ${path}\n` }]),
      ])
      const isWritten = written.includes(touched)
      if (isWritten) writeFileSync(join(place.project, touched), 'mine\n')
      const undo = await undoTurn(place.file, undefined, optionsFor(place))
      expect(undo.run).toBe(run)
      const refused = undo.files.filter(({ outcome }) => outcome === 'refused')
      expect(refused).toEqual(
        isWritten ? [{ path: touched, outcome: 'refused', reason: 'It has changed since the turn.' }] : [],
      )
      const after = snapshot(place.project)
      if (isWritten) expect(after[touched]).toContain(Buffer.from('mine\n').toString('base64'))
      expect(Object.keys(after).filter(name => written.includes(name as never))).toEqual(
        names.filter(name => written.includes(name) && (name === 'a.txt' || name === touched)),
      )
      // Once the person has taken theirs away, the rest of the turn can be undone.
      if (!isWritten) return
      rmSync(join(place.project, touched))
      const rest = await undoTurn(place.file, run, optionsFor(place))
      const own = rest.files.find(({ path }) => path === touched)
      expect(own?.outcome).toBe(touched === 'a.txt' ? 'refused' : 'already')
    }),
    { numRuns: shareOf(60) },
  )
})
