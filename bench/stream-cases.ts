import type { Chunk } from '@argot/core'

/** One kind of stream, in any size. */
export interface StreamCase {
  name: string
  /** What `size` counts. */
  unit: 'deltas' | 'calls'
  chunks(size: number): Chunk[]
}

/** The length of a delta: about four tokens. */
const deltaLength = 16

export const longString: StreamCase = {
  name: 'one long string argument',
  unit: 'deltas',
  chunks: size => oneCall('write_file', { path: 'src/generated.ts', content: code(size * deltaLength) }, size),
}

export const structured: StreamCase = {
  name: 'a structured argument',
  unit: 'deltas',
  chunks: size => oneCall('add_items', { items: items(size * deltaLength) }, size),
}

const callCount = 1_600

export const smallCalls: StreamCase = {
  name: '1 600 small calls',
  unit: 'deltas',
  chunks: size => calls(callCount, size / callCount),
}

/** The same with more and more calls: a snapshot copies the list of parts (docs/decisions/snapshots.md). */
export const manyCalls: StreamCase = { name: 'more and more calls', unit: 'calls', chunks: size => calls(size, 3) }

export const afterLargeResult: StreamCase = {
  name: 'text after a 1 MB tool result',
  unit: 'deltas',
  chunks: size => {
    const input = { query: 'every record' }
    return message([
      { type: 'tool-input-start', toolCallId: 'call-1', toolName: 'search' },
      { type: 'tool-input-available', toolCallId: 'call-1', toolName: 'search', input },
      { type: 'tool-output-available', toolCallId: 'call-1', output: { records: items(1_000_000) } },
      { type: 'finish-step' },
      { type: 'start-step' },
      ...text('text-1', size),
    ])
  },
}

export const plainText: StreamCase = {
  name: 'plain text',
  unit: 'deltas',
  chunks: size => message(text('text-1', size)),
}

function message(chunks: readonly Chunk[]): Chunk[] {
  return [
    { type: 'start', messageId: 'message-1' },
    { type: 'start-step' },
    ...chunks,
    { type: 'finish-step' },
    { type: 'finish', messageId: 'message-1' },
  ]
}

/** A message with one call whose input takes exactly `deltas` deltas; the last one takes what is left over. */
function oneCall(toolName: string, input: unknown, deltas: number): Chunk[] {
  const toolCallId = 'call-1'
  const json = JSON.stringify(input)
  return message([
    { type: 'tool-input-start', toolCallId, toolName },
    ...cut(json, deltas).map((inputTextDelta): Chunk => ({ type: 'tool-input-delta', toolCallId, inputTextDelta })),
    { type: 'tool-input-available', toolCallId, toolName, input: JSON.parse(json) as unknown },
    { type: 'tool-output-available', toolCallId, output: 'done' },
  ])
}

/** Calls of so many deltas each, with their results. */
function calls(count: number, deltas: number): Chunk[] {
  return message(Array.from({ length: count }, (_, index) => smallCall(index, deltas)).flat())
}

function smallCall(index: number, deltas: number): Chunk[] {
  const toolCallId = `call-${index}`
  const toolName = 'read_file'
  const path = `src/file-${String(index).padStart(6, '0')}.ts`
  const input = { path: path.padStart((deltas - 1) * deltaLength, 'folder/'), limit: 20 }
  return [
    { type: 'tool-input-start', toolCallId, toolName },
    ...cut(JSON.stringify(input), deltas).map(
      (inputTextDelta): Chunk => ({ type: 'tool-input-delta', toolCallId, inputTextDelta }),
    ),
    { type: 'tool-input-available', toolCallId, toolName, input },
    { type: 'tool-output-available', toolCallId, output: `line ${index}` },
  ]
}

function text(id: string, deltas: number): Chunk[] {
  return [
    { type: 'text-start', id },
    ...cut(code(deltas * deltaLength), deltas).map((delta): Chunk => ({ type: 'text-delta', id, delta })),
    { type: 'text-end', id },
  ]
}

/** `text` in `pieces` pieces of the length of a delta; the last one takes what is left over. */
function cut(text: string, pieces: number): string[] {
  return Array.from({ length: pieces }, (_, index) =>
    text.slice(index * deltaLength, index === pieces - 1 ? undefined : (index + 1) * deltaLength),
  )
}

/** Lines of a program, with quotes and line breaks as models write them; about `length` characters as JSON. */
function code(length: number): string {
  let lines = ''
  let size = 0
  for (let index = 0; size < length; index++) {
    const line = `  const value${index} = lookup("key ${index}") ?? 'none'\n`
    lines += line
    size += line.length + 3
  }
  return lines
}

/** Small objects with nested fields, about `length` characters as JSON. */
function items(length: number): unknown[] {
  const list: unknown[] = []
  for (let index = 0, size = 0; size < length; index++) {
    const item = {
      id: index,
      name: `item ${index}`,
      price: index / 4,
      tags: ['new', `group-${index % 7}`],
      size: { width: index % 100, height: 20, unit: null },
      available: index % 3 === 0,
    }
    list.push(item)
    size += JSON.stringify(item).length + 1
  }
  return list
}
