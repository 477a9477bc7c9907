import { type ChatBranch, ChatStore } from '@argot/react'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
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

type Act = { edit: string } | { draft: string } | { cancel: true }

const act = fc.oneof<fc.Arbitrary<Act>[]>(
  fc.record({ edit: fc.constantFrom('u1', 'u2', 'a1', 'none') }),
  fc.record({ draft: fc.constantFrom('', 'x', 'half a thought') }),
  fc.constant({ cancel: true as const }),
)

const pages = [
  { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Hello' }, picture] },
  { id: 'a1', role: 'assistant', parts: [{ type: 'text', text: 'Hi' }] },
  { id: 'u2', role: 'user', parts: [{ type: 'text', text: 'Again' }] },
  { id: 'a2', role: 'assistant', parts: [{ type: 'text', text: 'Hi again' }] },
]

test('law: until an edit is sent nothing changes, and leaving it brings back what was typed before it', () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 12 }), acts => {
      const store = new ChatStore({ adapter: new ScriptedAdapter(), initialMessages: pages })
      const before = store.conversation.messages()
      let typed = ''
      for (const one of acts) {
        const wasEditing = store.editing.get() !== undefined
        if ('edit' in one) store.edit(one.edit)
        else if ('draft' in one) store.draft.set(one.draft)
        else store.cancelEdit()
        if (!wasEditing && 'draft' in one) typed = one.draft
        expect(store.conversation.messages()).toEqual(before)
        expect(store.isRunning).toBe(false)
        if (store.editing.get() === undefined) expect(store.draft.get()).toBe(typed)
      }
    }),
    { numRuns: shareOf(500), seed: 1 },
  )
})

test('without branches, an edit that is sent replaces the message and all after it, with its files', async () => {
  const adapter = new ScriptedAdapter()
  const store = new ChatStore({ adapter, initialMessages: pages })
  store.edit('u1')
  store.submit({ text: 'Good morning' })
  await settle()
  expect(store.editing.get()).toBeUndefined()
  expect(store.conversation.messages()).toMatchObject([
    { role: 'user', parts: [{ type: 'text', text: 'Good morning' }, picture] },
  ])
  expect(adapter.sent).toEqual(['Good morning|file'])
})

test('an edit of a message that is gone meanwhile is sent as a message', async () => {
  const adapter = new ScriptedAdapter()
  const store = new ChatStore({ adapter, initialMessages: pages })
  store.edit('u2')
  store.setMessages(pages.slice(0, 2))
  store.submit({ text: 'Again?' })
  await settle()
  expect(store.conversation.messages().map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  expect(adapter.sent).toEqual(['Again?'])
})
