import { PartialJson } from '@argot/core/stream'
import { JSONParser } from '@streamparser/json'
import { parse as jsonriver } from 'jsonriver'
import { parse as partialJson } from 'partial-json'
import { readNewest, touch } from './read-newest.ts'
import type { Row } from './reading-table.ts'
import { structured } from './stream-cases.ts'

/** The deltas of the structured argument alone, for readers of JSON. */
function jsonDeltas(size: number): string[] {
  return structured.chunks(size).flatMap(chunk => (chunk.type === 'tool-input-delta' ? [chunk.inputTextDelta] : []))
}

/** A reader of JSON alone, with its value read after every delta. */
export function forJson(
  name: string,
  upTo: number,
  readAll: (deltas: readonly string[]) => unknown,
  linear = false,
): Row {
  return {
    name,
    linear,
    upTo,
    prepare: size => {
      const deltas = jsonDeltas(size)
      return () => readAll(deltas)
    },
  }
}

export const liveValue: Row = forJson('PartialJson.value, live', 100, readLive, true)
export const captured: Row = forJson('PartialJson.capture().value, a snapshot', 100, readCaptures)
export const river: Row = forJson('jsonriver 1.1.1, live', 100, readRiver)

function readLive(deltas: readonly string[]): void {
  const json = new PartialJson()
  for (const delta of deltas) {
    json.push(delta)
    readNewest(json.value)
  }
}

function readCaptures(deltas: readonly string[]): void {
  const json = new PartialJson()
  for (const delta of deltas) {
    json.push(delta)
    readNewest(json.capture().value)
  }
}

async function readRiver(deltas: readonly string[]): Promise<void> {
  async function* source(): AsyncGenerator<string> {
    yield* deltas
  }
  for await (const value of jsonriver(source())) readNewest(value)
}

export function readStreamParser(deltas: readonly string[]): void {
  const parser = new JSONParser({ emitPartialTokens: true, emitPartialValues: true })
  let root: unknown
  let newest: unknown
  parser.onValue = ({ value, stack }) => {
    root = stack[1]?.value ?? root
    newest = value
  }
  for (const delta of deltas) {
    parser.write(delta)
    readNewest(root)
    touch(newest)
  }
}

export function readPartialJson(deltas: readonly string[]): void {
  let text = ''
  for (const delta of deltas) {
    text += delta
    readNewest(partialJson(text))
  }
}
