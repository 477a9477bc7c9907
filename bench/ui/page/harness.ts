import type { Chunk } from '@argot/core'

/** What one of the compared chats does with a page. */
export interface Chat {
  mount(host: HTMLElement, history: readonly HistoryMessage[]): void
}

export interface HistoryMessage {
  id: string
  role: 'user' | 'assistant'
  text: string
}

declare global {
  interface Window {
    /** Mounts the chat; resolves once it has been painted. */
    begin: () => Promise<void>
    /** The last chunk has been painted. */
    isOver: boolean
    longTasks: number[]
    /** Layout shift without input. */
    shift: number
    keys: number[]
  }
}

const parameters = new URLSearchParams(location.search)
const count = Number(parameters.get('messages') ?? 0)
const kind = parameters.get('kind') ?? 'text'
/** Tokens of a run, and milliseconds between two of them. A big argument is 1 MB, in pieces of 1 kB. */
const tokens = kind === 'big' ? 1000 : 200
const pause = kind === 'big' ? 3 : 8

/** Called by the entry of each chat. */
export function start(chat: Chat): void {
  window.longTasks = []
  window.shift = 0
  window.keys = []
  window.isOver = false
  new PerformanceObserver(list => {
    for (const { duration } of list.getEntries()) window.longTasks.push(duration)
  }).observe({ type: 'longtask' })
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) if (entry.name === 'keydown') window.keys.push(entry.duration)
  }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit)
  new PerformanceObserver(list => {
    for (const entry of list.getEntries() as unknown as { value: number; hadRecentInput: boolean }[]) {
      if (!entry.hadRecentInput) window.shift += entry.value
    }
  }).observe({ type: 'layout-shift' })
  window.begin = async () => {
    chat.mount(document.querySelector<HTMLElement>('#root')!, history())
    await painted()
    await painted()
  }
}

function painted(): Promise<unknown> {
  return new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))
}

function history(): HistoryMessage[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `h${index}`,
    role: index % 2 === 0 ? 'user' : 'assistant',
    text:
      index % 2 === 0
        ? `Question ${index}: where does the reader lose a line?`
        : `Answer ${index}. The reader **subtracts twice**: once in \`tail.ts\` and once in \`reader.ts\`.\n\n- the first is right\n- the second is not\n\nSo \`--from 41\` starts at line 40.`,
  }))
}

const source = `
onmessage = ({ data: { kind, tokens, pause } }) => {
  const say = chunk => postMessage(chunk)
  say({ type: 'start', messageId: 'run' })
  say({ type: 'start-step' })
  if (kind === 'text') say({ type: 'text-start', id: 't' })
  else {
    say({ type: 'tool-input-start', toolCallId: 'c', toolName: 'write_file' })
    say({ type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{"path":"src/reader.ts","content":"' })
  }
  let sent = 0
  const kilobyte = ('const value = parse(text, { from: 41, to: 82 }) ?? nothing\\\\n').repeat(18).slice(0, 1022) + '\\\\n'
  const timer = setInterval(() => {
    const word = kind === 'big' ? kilobyte : sent % 12 === 11 ? 'end.' + (kind === 'text' ? '\\n\\n' : '\\\\n') : 'word' + sent + ' '
    if (kind === 'text') say({ type: 'text-delta', id: 't', delta: word })
    else say({ type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: word })
    if (++sent < tokens) return
    clearInterval(timer)
    if (kind === 'text') say({ type: 'text-end', id: 't' })
    else {
      say({ type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '"}' })
      say({ type: 'tool-output-available', toolCallId: 'c', output: 'ok' })
    }
    say({ type: 'finish-step' })
    say({ type: 'finish', messageId: 'run' })
    postMessage(null)
  }, pause)
}`

/** The run, from a worker: what it costs to make it is not measured. */
export function chunks(): ReadableStream<Chunk> {
  const worker = new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })))
  return new ReadableStream<Chunk>({
    start(controller) {
      worker.onmessage = ({ data }: MessageEvent<Chunk | null>) => {
        if (data !== null) return controller.enqueue(data)
        controller.close()
        worker.terminate()
        void painted()
          .then(painted)
          .then(() => {
            window.isOver = true
          })
      }
      worker.postMessage({ kind, tokens, pause })
    },
  })
}
