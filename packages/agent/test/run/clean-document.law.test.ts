import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { folderStore } from '@argot/agent'
import { cleanDocument, matchDocument, readRecords } from '@argot/agent/internal'
import { createResolver } from '@argot/agent/workshop'
import type { Message, MessagePart } from '@argot/core'
import { checkChatMd, expand, parseChatMd, writeChatMd } from '@argot/core/chatmd'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runs } from '../../../core/test/chatmd/documents.ts'
import { assistantMessage, canonical, promptMessage } from '../../../core/test/chatmd/messages.ts'

let folder: string
let file: string
let sidecar: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'argot-clean-'))
  file = join(folder, 'chat.chatmd')
  sidecar = join(folder, '.chatmd/sidecars/chat.chatmd.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** What older versions wrote for these messages. */
function writeOld(messages: readonly Message[], payloads: 'inline' | 'external'): void {
  rmSync(join(folder, '.chatmd'), { recursive: true, force: true })
  const { append, files } = writeChatMd(
    messages.map(message => ({ type: 'message', message })),
    { payloads },
  )
  for (const { path, text } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  writeFileSync(file, append)
}

async function readMessages(): Promise<Message[]> {
  const { document } = parseChatMd(readFileSync(file, 'utf8'), { file })
  const records = matchDocument(document.tree, await readRecords(folderStore(folder), 'chat.chatmd'))
  const { messages } = await expand(document, { resolver: createResolver({ directory: folder }), records })
  return messages.map(({ message }) => message)
}

/** Nothing unsigned is sent to a provider or says what a person decided: none of that comes back from the sidecar. */
function withoutMetadata(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), function (this: unknown, key: string, one: unknown) {
    if (key === 'always' && one === false) return undefined
    if (key === 'approval' && !/^output-/.test(String((this as { state?: unknown }).state))) return undefined
    return /^(?:provider|callProvider|resultProvider)Metadata$/.test(key) ? undefined : one
  })
}

const isVisible = ({ type }: MessagePart): boolean => type !== 'step-start'
const messages = fc
  .array(fc.oneof({ weight: 3, arbitrary: assistantMessage }, promptMessage), { maxLength: 4 })
  .map(list => list.map((message, index) => ({ ...message, id: `m${index}` })))
  .map(list => list.filter(({ role, parts }) => role !== 'assistant' || parts.some(isVisible)))

const bookkeeping =
  /^<(?:user|system|developer|assistant|reasoning|tool_call|tool_response|msg)\b[^\n>]*? (?:offset|run|message|step|ms|started|created|meta|argot|meta_src|key|settled_by|preliminary|dynamic)(?:=|[ />])/m

describe.each(['inline', 'external'] as const)('a document of an older version with %s payloads', payloads => {
  test('says the same after it was cleaned, without bookkeeping, and nothing is signed', async () => {
    await fc.assert(
      fc.asyncProperty(messages, async list => {
        writeOld(list, payloads)
        const before = await readMessages()
        const { signed } = await cleanDocument(file, text => text)
        const text = readFileSync(file, 'utf8')
        expect(canonical(withoutMetadata(await readMessages()))).toBe(canonical(withoutMetadata(before)))
        expect(checkChatMd(text).filter(({ severity }) => severity === 'error')).toEqual([])
        expect(bookkeeping.exec(text)?.[0]).toBe(undefined)
        expect(signed).toBe(0)
        const records = existsSync(sidecar) ? readFileSync(sidecar, 'utf8') : ''
        expect(records).not.toMatch(/"m":"[^"]*"\}$/m)
        expect(await cleanDocument(file, one => one)).toEqual({ moved: 0, signed: 0 })
        expect(readFileSync(file, 'utf8')).toBe(text)
        expect(existsSync(sidecar) ? readFileSync(sidecar, 'utf8') : '').toBe(records)
      }),
      { numRuns: runs(150) },
    )
  })
})
