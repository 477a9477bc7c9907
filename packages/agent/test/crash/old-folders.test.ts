import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isToolPart, type ToolInvocation } from '@argot/core'
import { isSettled } from '@argot/core/stream'
import { expect, test } from 'vitest'
import { readMessages } from '../run/document-folder.ts'
import {
  continueFolder,
  makeOldFolder,
  type Next,
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
    const [now, before] = [await wordsIn(folder, found.document), await wordsIn(folder, document)]
    // The run that follows may have settled what was open.
    expect(now.slice(0, before.length)).toEqual(before.map(part => expect.objectContaining(part)))
    expect({ ...found.next, interrupted: [] }).toEqual({ ...next, interrupted: [] })
    // A person may be told so of more calls, never of fewer.
    expect(found.next.interrupted).toEqual(expect.arrayContaining(next.interrupted))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * What a document of the folder says. The old version kept its books in attributes, this one beside the document; what was
 * said, asked and answered is the same.
 */
async function wordsIn(folder: string, text: string): Promise<object[]> {
  const file = join(folder, 'read.chatmd')
  // The file of its metadata is made by the old version alone.
  writeFileSync(file, withFiles(folder, text.replace(/ meta_src="[^"]*"/g, '')))
  const sidecar = join(folder, '.chatmd/sidecars/chat.chatmd.jsonl')
  if (existsSync(sidecar)) copyFileSync(sidecar, join(folder, '.chatmd/sidecars/read.chatmd.jsonl'))
  const messages = await readMessages(file)
  return messages.flatMap(({ id, role, parts }) =>
    parts.map(part =>
      isToolPart(part)
        ? callWords(part.toolInvocation)
        : { role, message: messageName(id), type: part.type, ...('text' in part ? { text: part.text } : {}) },
    ),
  )
}

/** The old version numbered files in another order: each of a kind for one call is the same one as here. */
function withFiles(folder: string, text: string): string {
  const names = readdirSync(join(folder, '.chatmd')).sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
  const pattern = /(?<=\.chatmd\/)\d+\.([\w.-]+\.json)/g
  const kinds = [...text.matchAll(pattern)].map(([, kind]) => kind)
  let use = 0
  return text.replace(pattern, (name, kind: string) => {
    const later = kinds.slice(use++).filter(one => one === kind).length
    const same = names.filter(one => one.replace(/^\d+\./, '') === kind)
    if (!same.includes(name)) return same.at(-later) ?? name
    const read = (one: string): string => readFileSync(join(folder, '.chatmd', one), 'utf8')
    // A file that a crash cut off was written again under a higher number.
    return same.findLast(one => read(one).startsWith(read(name)) && read(one) !== read(name)) ?? name
  })
}

/** Messages that nobody named are counted, and an element that only kept books is none. */
function messageName(id: string): string {
  return id.startsWith('chatmd-') ? 'unnamed' : id
}

/** A question is in the log alone, and so is what a person gave an open call. */
function callWords(call: ToolInvocation): object {
  const { toolCallId, toolName, input, state, output, errorText } = call
  return isSettled(call) ? { toolCallId, toolName, input, state, output, errorText } : { toolCallId, toolName }
}
