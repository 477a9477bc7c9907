import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Chunk } from '@argot/core'

interface Line {
  chunk?: Chunk
  file?: string
}

interface RunningAgent {
  child: ChildProcessWithoutNullStreams
  lines: AsyncIterator<string>
}

const running = new Map<string, RunningAgent>()

/** Begins the run of `agent-process.ts` in a process of its own, and gives its chunks up to its question. */
export async function startAgent(_context: unknown, key: string): Promise<{ id: string; chunks: Chunk[] }> {
  const script = new URL('./agent-process.ts', import.meta.url).pathname
  const child = spawn(process.execPath, ['--import', 'tsx', '--conditions=@argot/source', script], {
    env: { ...process.env, API_KEY: key },
  })
  child.stderr.pipe(process.stderr)
  const id = String(child.pid)
  running.set(id, { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() })
  const lines = await readUntil(id, ({ chunk }) => chunk?.type === 'tool-approval-request')
  return { id, chunks: chunksOf(lines) }
}

/** Gives the answer; the rest of the run, and the file as it is then. */
export async function answerAgent(
  _context: unknown,
  id: string,
  approvalId: string,
  answer: object,
): Promise<{ chunks: Chunk[]; file: string | undefined }> {
  running.get(id)!.child.stdin.write(`${JSON.stringify({ id: approvalId, answer })}\n`)
  const lines = await readUntil(id, ({ file }) => file !== undefined)
  running.delete(id)
  return { chunks: chunksOf(lines), file: lines.at(-1)?.file }
}

function chunksOf(lines: readonly Line[]): Chunk[] {
  return lines.flatMap(({ chunk }) => (chunk === undefined ? [] : [chunk]))
}

async function readUntil(id: string, isLast: (line: Line) => boolean): Promise<Line[]> {
  const read: Line[] = []
  for (;;) {
    const { done, value } = await running.get(id)!.lines.next()
    if (done === true) return read
    const line = JSON.parse(value) as Line
    read.push(line)
    if (isLast(line)) return read
  }
}
