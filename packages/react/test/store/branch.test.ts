import { type ChatAdapter, ChatStore } from '@argot/react'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import { ScriptedAdapter, settle } from './scripted-adapter.ts'

const picture = { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AA==', filename: 'a.png' } as const

type Branch = Parameters<NonNullable<ChatAdapter['branch']>>[0]

function open(branch: (branch: Branch) => unknown): { adapter: ScriptedAdapter; store: ChatStore; opened: unknown[] } {
  const adapter = Object.assign(new ScriptedAdapter(), {
    branch: async (input: Branch) => {
      await branch(input)
      return 'other'
    },
  })
  const opened: unknown[] = []
  const store = new ChatStore({
    adapter,
    onBranch: one => opened.push(one),
    initialMessages: [
      { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Hello' }, picture] },
      { id: 'a1', role: 'assistant', parts: [{ type: 'text', text: 'Hi' }] },
    ],
  })
  return { adapter, store, opened }
}

test('an edited message makes a branch with its files, and this conversation stays as it is', async () => {
  const branches: Branch[] = []
  const { adapter, store, opened } = open(branch => branches.push(branch))
  store.edit('u1')
  expect(store.draft.get()).toBe('Hello')
  store.submit({ text: 'Good morning' })
  await settle()
  expect(branches.map(({ before, message }) => [before.id, message?.parts])).toMatchObject([
    ['u1', [{ type: 'text', text: 'Good morning' }, picture]],
  ])
  expect(opened).toEqual([{ conversationId: 'other', isNew: true }])
  expect(store.editing.get()).toBeUndefined()
  expect(store.conversation.messages().map(({ id }) => id)).toEqual(['u1', 'a1'])
  expect(adapter.sent).toEqual([])
})

test('an answer that is wanted again makes a branch without a message', async () => {
  const branches: Branch[] = []
  const { store, opened } = open(branch => branches.push(branch))
  await store.tryAgain('a1', { model: 'other/model' })
  expect(branches).toMatchObject([{ before: { id: 'a1' }, model: 'other/model' }])
  expect(opened).toEqual([{ conversationId: 'other', isNew: true, model: 'other/model' }])
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

function answers(adapter: ScriptedAdapter, id: string, text: string): void {
  adapter.say({ type: 'start', messageId: id }, { type: 'text-start', id: 't' })
  adapter.say({ type: 'text-delta', id: 't', delta: text }, { type: 'text-end', id: 't' }, { type: 'finish' })
  adapter.close()
}

const texts = (store: ChatStore): string[] =>
  store.conversation
    .messages()
    .flatMap(({ parts }) => parts.map(part => (part.type === 'text' ? part.text : part.type)))

test('without branches of the adapter, earlier answers are kept here, each with what followed it', async () => {
  const adapter = new ScriptedAdapter()
  const store = new ChatStore({ adapter, initialMessages: pages })
  const done = store.tryAgain('a1')
  await settle()
  expect(texts(store)).toEqual(['Hello', 'file'])
  answers(adapter, 'b1', 'Hey')
  await done
  const { answers: loaded } = { answers: store.answers.get()! }
  expect([texts(store), loaded.place('b1'), loaded.place('u1')]).toEqual([['Hello', 'file', 'Hey'], '2/2', undefined])
  await loaded.go('b1', 1)
  expect(texts(store)).toEqual(['Hello', 'file', 'Hey'])
  await loaded.go('b1', -1)
  expect([texts(store), loaded.place('a1')]).toEqual([['Hello', 'file', 'Hi', 'Again', 'Hi again'], '1/2'])
  // Of an answer further down, there are others too.
  const later = store.tryAgain('a2')
  await settle()
  answers(adapter, 'b2', 'Once more')
  await later
  expect([loaded.place('a1'), loaded.place('b2')]).toEqual(['1/2', '2/2'])
  await loaded.go('a1', 1)
  await loaded.go('b1', -1)
  expect([texts(store).at(-1), loaded.place('b2')]).toEqual(['Once more', '2/2'])
})

test('another try that fails before it says anything brings the answer back', async () => {
  const adapter = new ScriptedAdapter()
  adapter.sendMessage = () => Promise.reject(new Error('No network.'))
  const store = new ChatStore({ adapter, initialMessages: pages })
  await store.tryAgain('a2')
  expect(store.error.get()).toMatchObject({ code: 'REGENERATE_ERROR', message: 'No network.' })
  expect(store.conversation.messages().map(({ id }) => id)).toEqual(['u1', 'a1', 'u2', 'a2'])
  expect(store.answers.get()!.place('a2')).toBeUndefined()
})

test('feedback is shown before the adapter has it, waits for a run, and is taken back if it fails', async () => {
  const calls: unknown[] = []
  const seen: unknown[] = []
  let fails: { status: number; message: string } | undefined
  const adapter = Object.assign(new ScriptedAdapter(), {
    giveFeedback: async ({ message, value }: { message: { id: string }; value: string }) => {
      calls.push([message.id, value])
      if (fails !== undefined) throw Object.assign(new Error(fails.message), fails)
    },
  })
  const kept = { ...pages[3]!, metadata: { feedback: { value: 'bad' } } }
  const onFeedback = ({ value }: { value: string }): number => seen.push(value)
  const store = new ChatStore({ adapter, onFeedback, initialMessages: [...pages.slice(0, 3), kept] })
  await store.giveFeedback('a1', 'good')
  const loaded = store.answers.get()!
  expect([loaded.feedback('a1'), loaded.feedback('a2'), calls, seen]).toEqual([
    'good',
    'bad',
    [['a1', 'good']],
    ['good'],
  ])
  fails = { status: 500, message: 'Broken.' }
  const failing = loaded.giveFeedback('a2', 'none')
  expect(loaded.feedback('a2')).toBe('none')
  await failing
  expect([loaded.feedback('a2'), store.error.get()]).toMatchObject(['bad', { code: 'FEEDBACK_ERROR' }])
  void store.send({ text: 'More' })
  await settle()
  fails = { status: 409, message: 'Busy.' }
  const waiting = store.giveFeedback('a1', 'bad')
  await settle()
  fails = undefined
  answers(adapter, 'a3', 'Yes')
  await waiting
  expect([loaded.feedback('a1'), calls.at(-1), calls.length]).toEqual(['bad', ['a1', 'bad'], 4])
})

test('an adapter that opens branches itself shows the other conversation here', async () => {
  const conversations: Record<string, typeof pages> = {
    one: pages,
    two: [...pages.slice(0, 3), { ...pages[3]!, id: 'b2' }],
  }
  let current = 'one'
  const adapter = Object.assign(new ScriptedAdapter(), {
    listMessages: async () => ({ messages: conversations[current] as never }),
    listBranches: async () => {
      const messageId = current === 'one' ? 'a2' : 'b2'
      return [{ messageId, conversations: ['one', 'two'], current: current === 'one' ? 0 : 1 }]
    },
    openBranch: (id: string) => {
      current = id
    },
  })
  const store = new ChatStore({ adapter, conversationId: 'one' })
  await store.join()
  store.loadAnswers()
  await settle()
  const loaded = store.answers.get()!
  expect(loaded.place('a2')).toBe('1/2')
  await loaded.go('a2', 1)
  expect([store.conversation.ids.get().at(-1), loaded.place('b2')]).toEqual(['b2', '2/2'])
})
