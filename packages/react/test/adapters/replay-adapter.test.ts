import { accumulate, type Chunk } from '@argot/core'
import { ChatStore, replayAdapter } from '@argot/react'
import { expect, test } from 'vitest'
import { openStore, run, testAdapter, until } from './adapter-suite.ts'

const lines = (chunks: readonly Chunk[]): { o: number; t: number; chunk: Chunk }[] =>
  chunks.map((chunk, o) => ({ o, t: o * 100, chunk }))

testAdapter('a recording', {
  whole: () => replayAdapter(lines(run), { speed: Number.POSITIVE_INFINITY }),
  silentAfter: count => {
    const adapter = replayAdapter(lines(run), { paused: true })
    return {
      ...adapter,
      sendMessage: async input => {
        const stream = await adapter.sendMessage(input)
        adapter.player.seek(count)
        return stream
      },
    }
  },
})

/** The texts and states that the page shows. */
function shown(store: ChatStore): string[] {
  return store.conversation
    .messages()
    .flatMap(({ parts }) => parts)
    .flatMap(part => ('text' in part ? [part.text] : 'toolInvocation' in part ? [part.toolInvocation.state] : []))
}

test('a replay stands, steps and goes anywhere, also back', async () => {
  const adapter = replayAdapter(lines(run), { paused: true, stays: true })
  const heard: string[] = []
  const store = new ChatStore({
    adapter,
    streamFlushInterval: 0,
    onToolCall: ({ toolCall, replayed }) => heard.push(`${toolCall.state} ${replayed}`),
  })
  void store.join()
  const { player } = adapter
  await until(() => store.isRunning && player.position().chunks === run.length)
  player.step(5)
  await until(() => shown(store).join() === 'Let me look.')
  player.step()
  player.step()
  await until(() => shown(store).join() === 'Let me look.,input-streaming')
  player.step(-3)
  await until(() => shown(store).join() === 'Let me ')
  expect(player.position()).toMatchObject({ chunk: 4, time: 300, duration: 1600, isPlaying: false })
  player.seekTime(1_000_000)
  await until(() => shown(store).join() === 'Let me look.,output-available,Three.')
  player.seek(0)
  await until(() => shown(store).length === 0)
  player.seek(run.length)
  await until(() => shown(store).length === 3)
  expect(store.isRunning).toBe(true)
  expect(heard).toEqual(['input-streaming true', 'input-available true', 'output-available true'])
})

test('with the clock of the replay, calls begin and end when they did, wherever one goes', async () => {
  const recorded = lines(run).map(line => ({ ...line, t: line.t + 1_000_000 }))
  const adapter = replayAdapter(recorded, { paused: true, stays: true })
  const { player } = adapter
  const store = new ChatStore({ adapter, streamFlushInterval: 0, now: player.now })
  void store.join()
  await until(() => store.isRunning && player.position().chunks === run.length)
  const at = (type: string): number => recorded.find(({ chunk }) => chunk.type === type)!.t
  for (const target of [run.length, 3, run.length]) {
    player.seek(target)
    await until(() => shown(store).length === (target === 3 ? 1 : 3))
  }
  const [call] = store.conversation
    .messages()
    .flatMap(({ parts }) => parts)
    .flatMap(part => ('toolInvocation' in part ? [part.toolInvocation] : []))
  expect(call).toMatchObject({ startedAt: at('tool-input-start'), endedAt: at('tool-output-available') })
  expect(player.now()).toBe(recorded.at(-1)!.t)
})

test('a finished message is played as the stream it was', async () => {
  const fold = accumulate()
  for (const chunk of run) fold.push(chunk)
  const store = openStore(replayAdapter(fold.message!, { speed: Number.POSITIVE_INFINITY }))
  await store.send({ text: 'Play' })
  await until(() => !store.isRunning)
  expect(shown(store).slice(1)).toEqual(['Let me look.', 'output-available', 'Three.'])
})
