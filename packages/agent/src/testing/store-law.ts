import { dirname, join } from 'node:path'
import type { Message } from '@argot/core'
import { expand, parseChatMd } from '@argot/core/chatmd'
import { createResolver } from '../resolver/create-resolver.ts'
import { readRecords } from '../store/element-records.ts'
import { matchDocument } from '../store/match-document.ts'
import type { Store } from '../store/store.ts'
import { check } from './check.ts'
import type { StoreAccident, StorePlace } from './store-harness.ts'

/** The document that a place has by default. */
export const documentPath = 'chat.chatmd'
/** No newline at its end, and characters of two, three and four bytes. */
export const documentText = '<user>\nTu es — naïve 🙂.\n</user>'
export const runId = 'run-1'

export interface StoreLaw {
  name: string
  /** The accident that the place must be able to simulate. */
  needs?: StoreAccident
  check(place: StorePlace, create: (documents?: Readonly<Record<string, string>>) => Promise<StorePlace>): Promise<void>
}

/** Throws if the document has errors or missing files. */
export async function readAnswers(store: Store, path: string = documentPath): Promise<Message[]> {
  return (await readConversation(store, path)).filter(({ role }) => role === 'assistant')
}

/** Throws if the document has errors or missing files. */
export async function readConversation(store: Store, path: string = documentPath): Promise<Message[]> {
  const { text } = await store.documents.read(path)
  const { document, diagnostics } = parseChatMd(text)
  const directory = store.root === undefined ? process.cwd() : dirname(join(store.root, path))
  const records = matchDocument(document.tree, await readRecords(store, path))
  const expanded = await expand(document, { resolver: createResolver({ directory }), records })
  const problems = [...diagnostics, ...expanded.diagnostics].map(({ code, message }) => `${code}: ${message}`)
  check(problems.length === 0, `The document has problems:\n${problems.join('\n')}\n${text}`)
  return expanded.messages.map(({ message }) => message)
}
