import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseTree } from '@argot/core/chatmd'
import type { ElementNode } from '@argot/core/chatmd/internal'
import { expect, test } from 'vitest'
import {
  continueFolder,
  makeOldFolder,
  type Next,
  nextRun,
  type OldFolder,
  type Point,
  quickFolder,
  unfoldTexts,
} from './old-folders.ts'

/*
 * Each file of `fixtures/crash` is what a version of the past (commit f98f5b5) did to the folder of a document, operation
 * by operation, and what that version made of the folder when it died in between. The files are the truth of that
 * version: nothing rewrites them, not even `UPDATE=1`.
 *
 * The version dies between any two operations, and in the middle of every write: after its first byte, half of it, and
 * all but its last byte. The first line of a log of each type and the first element of each kind in a document are cut
 * at every byte; of cuts side by side that come to the same, the tests look at the first, the last, and one in five of
 * those between, and at a quarter of all these. With `CUTS=all` they look at every one.
 */
const fixtures = fileURLToPath(new URL('../../../../fixtures/crash', import.meta.url))
const [stride, share] = process.env.CUTS === 'all' ? [1, 1] : [5, 4]
/** Folders that are looked at at the same time. */
const lanes = 4

const names = readdirSync(fixtures).map(name => name.replace(/\.json$/, ''))

test.each(names)('%s: what an old version left behind is recovered and continued as that version did', async name => {
  const old = JSON.parse(readFileSync(join(fixtures, `${name}.json`), 'utf8')) as OldFolder
  const documents = unfoldTexts(old.documents)
  const nexts = unfoldTexts(old.nexts).map(text => JSON.parse(text) as Next)
  const all = old.points.flatMap(placesOf)
  expect(all.length).toBeGreaterThan(old.operations.length)
  const places = all.filter((_, index) => index % share === 0)
  const lane = async (): Promise<void> => {
    for (let place = places.pop(); place !== undefined; place = places.pop()) {
      const { done, bytes, document, next } = place
      try {
        await checkFolder(old, done, bytes, documents[document]!, nexts[next]!)
      } catch (error) {
        places.length = 0
        const words = error instanceof Error ? error.message : String(error)
        throw new Error(`After ${done} operations and ${bytes} bytes of the next one: ${words}`, { cause: error })
      }
    }
  }
  const working = Array.from({ length: lanes }, lane)
  await Promise.allSettled(working)
  await Promise.all(working)
})

interface Place {
  done: number
  bytes: number
  document: number
  next: number
}

function placesOf([done, first, last, document, next]: Point): Place[] {
  const places: Place[] = []
  for (let bytes = first; bytes < last; bytes += stride) places.push({ done, bytes, document, next })
  return [...places, { done, bytes: last, document, next }]
}

async function checkFolder(old: OldFolder, done: number, bytes: number, document: string, next: Next): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(quickFolder(), 'argot-old-')))
  try {
    makeOldFolder(folder, old, done, bytes)
    const found = await continueFolder(folder)
    const [before, now] = [document, found.document].map(withoutNames) as [string, string]
    expect(now.slice(0, before.length)).toBe(before)
    expect(elementsIn(now.slice(before.length)).length).toBe(elementsOf(nextRun, found.document).length)
    expect({ ...found.next, interrupted: [] }).toEqual({ ...next, interrupted: [] })
    // A person may be told so of more calls, never of fewer.
    expect(found.next.interrupted).toEqual(expect.arrayContaining(next.interrupted))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Since then a run names itself and its message with its first element only. */
function withoutNames(text: string): string {
  return text.replace(/ (?:run|message)="[^"]*"/g, '')
}

function elementsIn(text: string): ElementNode[] {
  return parseTree(text).children.filter(node => node.type === 'element')
}

/** What a run has written: from the element on that names it, until another is named. */
function elementsOf(run: string, text: string): ElementNode[] {
  let current: unknown
  return elementsIn(text).filter(node => {
    current = node.attributes.find(one => one.name === 'run')?.value ?? current
    return current === run
  })
}
