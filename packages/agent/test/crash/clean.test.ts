import { readFileSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderStore } from '@argot/agent'
import { cleanDocument, matchDocument, readRecords } from '@argot/agent/internal'
import { createResolver } from '@argot/agent/workshop'
import type { Message } from '@argot/core'
import { expand, parseChatMd } from '@argot/core/chatmd'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { fixtureKey, type VersionFixture, versionFolder } from '../versions.ts'
import { buildChild } from './child-process.ts'

const startChild = buildChild('clean-child.ts')
const name = 'chat.chatmd'
const env = { ARGOT_STATE_KEY: fixtureKey }

interface Case {
  fixture: VersionFixture
  /** What happened to the folder before. */
  prepare?: (folder: string) => Promise<void>
  /** How many records of the text are moved, how many of them the log confirms. */
  moved: number
  signed: number
}

const withoutLogs = (folder: string): Promise<void> => rm(join(folder, '.chatmd/runs'), { recursive: true })

/** Somebody says that a call took longer. */
async function withClaim(folder: string): Promise<void> {
  const file = join(folder, name)
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.replace(/ ms="[0-9]+"/, ' ms="9999"'))
}

const cases: Record<string, Case> = {
  'an old document with its log': { fixture: 'document-1', moved: 9, signed: 8 },
  'an old document without a log': { fixture: 'document-1', prepare: withoutLogs, moved: 9, signed: 0 },
  'a mixed document with its logs': { fixture: 'both', moved: 9, signed: 8 },
  'a mixed document without logs': { fixture: 'both', prepare: withoutLogs, moved: 9, signed: 0 },
  'a mixed document with a claim that its log denies': { fixture: 'both', prepare: withClaim, moved: 9, signed: 7 },
}

async function makeFolder({ fixture, prepare }: Case): Promise<string> {
  const folder = await versionFolder(fixture)
  await prepare?.(folder)
  return folder
}

/** What the folder says: the text, the messages, and the records with their signatures. */
async function readFolder(folder: string): Promise<{ text: string; messages: Message[]; records: unknown }> {
  const file = join(folder, name)
  const text = readFileSync(file, 'utf8')
  const { document } = parseChatMd(text, { file })
  const found = await readRecords(folderStore(folder, { env }), name)
  const records = matchDocument(document.tree, found)
  const { messages } = await expand(document, { resolver: createResolver({ directory: folder }), records })
  const signed = found.batches.flatMap(({ isSigned, elements }) => elements.map(element => ({ isSigned, element })))
  return { text, messages: messages.map(({ message }) => message), records: signed }
}

/** What isn't signed has no metadata. */
function shown(messages: readonly Message[], { signed }: Case): unknown {
  const drop = (key: string, value: unknown): unknown => (key === 'providerMetadata' ? undefined : value)
  return signed === 0 ? JSON.parse(JSON.stringify(messages, drop)) : messages
}

/** Cleans the document in a process that dies there. False when there is no such place. */
async function dieAt(place: string, folder: string): Promise<boolean> {
  const { signal, stderr } = await startChild({ env: { ...env, FILE: join(folder, name), DIE: place } })
  expect(stderr).toBe('')
  return signal === 'SIGKILL'
}

const clean = (folder: string): Promise<unknown> => cleanDocument(join(folder, name), text => text)

beforeEach(() => {
  vi.stubEnv('ARGOT_STATE_KEY', fixtureKey)
})
afterEach(() => {
  vi.unstubAllEnvs()
})

test.each(Object.entries(cases))('%s says the same when it was cleaned', async (_, one) => {
  const folder = await makeFolder(one)
  const before = await readFolder(folder)
  const { moved, signed } = one
  expect(await clean(folder)).toEqual({ moved, signed })
  const after = await readFolder(folder)
  expect(after.text).not.toMatch(/ (?:offset|run|message|ms|started|created)=/)
  expect(shown(after.messages, one)).toEqual(shown(before.messages, one))
  expect(await clean(folder)).toEqual({ moved: 0, signed: 0 })
  expect(await readFolder(folder)).toEqual(after)
})

test('a cleaning that dies anywhere loses nothing, and the next one completes it', async () => {
  const one = cases['a mixed document with its logs']!
  const whole = await makeFolder(one)
  const before = await readFolder(whole)
  await clean(whole)
  const after = await readFolder(whole)
  const texts = new Set<string>()
  let next = 1
  let isOver = false
  const lane = async (): Promise<void> => {
    while (!isOver) {
      const number = next++
      for (const place of [`operation ${number}`, `half ${number}`]) {
        const folder = await makeFolder(one)
        if (!(await dieAt(place, folder))) isOver = true
        const left = await readFolder(folder)
        texts.add(left.text)
        expect(left.messages, place).toEqual(before.messages)
        await clean(folder)
        expect(await readFolder(folder), place).toEqual(after)
      }
    }
  }
  await Promise.all([lane(), lane(), lane()])
  expect([...texts].sort()).toEqual([before.text, after.text].sort())
  expect(next).toBeGreaterThan(8)
})
