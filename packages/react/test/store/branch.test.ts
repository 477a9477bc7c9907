import { type ChatBranch, ChatStore } from '@argot/react'
import { expect, test } from 'vitest'
import { ScriptedAdapter, settle } from './scripted-adapter.ts'

const picture = { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AA==', filename: 'a.png' } as const

function open(onBranch: (branch: ChatBranch) => unknown): { adapter: ScriptedAdapter; store: ChatStore } {
  const adapter = new ScriptedAdapter()
  const store = new ChatStore({
    adapter,
    onBranch,
    initialMessages: [
      { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Hello' }, picture] },
      { id: 'a1', role: 'assistant', parts: [{ type: 'text', text: 'Hi' }] },
    ],
  })
  return { adapter, store }
}

test('an edited message makes a branch with its files, and this conversation stays as it is', async () => {
  const branches: ChatBranch[] = []
  const { adapter, store } = open(branch => branches.push(branch))
  store.edit('u1')
  expect(store.draft.get()).toBe('Hello')
  store.submit({ text: 'Good morning' })
  await settle()
  expect(branches.map(({ before, message }) => [before.id, message?.parts])).toMatchObject([
    ['u1', [{ type: 'text', text: 'Good morning' }, picture]],
  ])
  expect(store.editing.get()).toBeUndefined()
  expect(store.conversation.messages().map(({ id }) => id)).toEqual(['u1', 'a1'])
  expect(adapter.sent).toEqual([])
})

test('an answer that is wanted again makes a branch without a message', async () => {
  const branches: ChatBranch[] = []
  const { store } = open(branch => branches.push(branch))
  store.tryAgain('a1')
  await settle()
  expect(branches).toMatchObject([{ before: { id: 'a1' } }])
  expect(branches[0]?.message).toBeUndefined()
})

test('a branch that is not made gives the text back, and says why', async () => {
  const { store } = open(() => Promise.reject(new Error('The disk is full.')))
  store.edit('u1')
  store.submit({ text: 'Good morning' })
  store.draft.set('')
  await settle()
  expect(store.error.get()).toMatchObject({ code: 'BRANCH_ERROR', message: 'The disk is full.' })
  expect(store.draft.get()).toBe('Good morning')
  expect(store.editing.get()?.id).toBe('u1')
  store.cancelEdit()
  expect(store.draft.get()).toBe('')
})
