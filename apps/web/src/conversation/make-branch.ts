import { toUIMessage } from '@argot/core'
import type { ChatBranch, ChatStore } from '@argot/react'
import type { ChatMessage } from '@argot/react/types'
import { goTo } from '../frame/use-route.ts'
import { api } from '../server/api.ts'
import { wish, wishesOf } from '../server/wishes.ts'

/** Makes a document with the history before a message, has it run there with what is said instead, and shows it. */
export async function makeBranch(document: string, store: ChatStore, { before, message }: ChatBranch): Promise<void> {
  const at = await idInDocument(document, store.conversation.messages(), before)
  const path = await api.branch(document, at, false)
  wish(path, wishesOf(document))
  await api.run(path, message === undefined ? undefined : toUIMessage(message), wishesOf(path))
  goTo(path)
}

/**
 * The id that the document has for a message. One that was sent from this page has another id here: it is the same one
 * counted from the end.
 */
async function idInDocument(
  document: string,
  shown: readonly ChatMessage[],
  { id, role }: ChatMessage,
): Promise<string> {
  if (role !== 'user') return id
  const asked = shown.filter(one => one.role === 'user')
  const fromEnd = asked.length - asked.findIndex(one => one.id === id)
  const written: ChatMessage[] = []
  for await (const page of api.messages(document)) {
    if (page.some(one => one.id === id)) return id
    written.unshift(...page.filter(one => one.role === 'user'))
    if (written.length >= fromEnd) return written.at(-fromEnd)!.id
  }
  throw new Error('The document does not have this message any more. Load the page again.')
}
