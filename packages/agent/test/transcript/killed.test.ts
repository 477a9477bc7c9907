import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { folderStore } from '@argot/agent'
import { isToolPart } from '@argot/core'
import { parseLog } from '@argot/core/stream'
import { expect, test } from 'vitest'
import { bundlePrograms } from '../../../../test/bundle-programs.ts'
import { openTranscript } from '../../src/transcript/open-transcript.ts'
import { logPathOf, makeDocument, readBack } from './runs.ts'

const [runner] = bundlePrograms([join(import.meta.dirname, 'runner.ts')])

/** Runs the document in a process of its own and kills it once it has said so many offsets; gives the last of them. */
function runAndKill(file: string, id: string, count: number): Promise<number> {
  const child = spawn(process.execPath, [runner!, file, id])
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    said += piece
    if (said.split('\n').length > count) child.kill('SIGKILL')
  })
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (said += piece))
  return new Promise((resolve, reject) => {
    child.on('close', () => {
      const offset = Number(said.split('\n').at(-2))
      if (Number.isInteger(offset)) resolve(offset)
      else reject(new Error(said))
    })
  })
}

test('a process that is killed with -9 loses no chunk that it was told is in the log', async () => {
  const file = await makeDocument()
  for (const [index, count] of [40, 300, 1500].entries()) {
    const id = `run-${index + 1}`
    const before = readFileSync(file, 'utf8')
    const offset = await runAndKill(file, id, count)
    const { lines } = parseLog(readFileSync(logPathOf(file, id), 'utf8'))
    expect(lines.map(line => line.o)).toEqual(lines.map((_, at) => at))
    expect(lines.length).toBeGreaterThan(offset)
    const outputs = lines.filter(line => line.chunk.type === 'tool-output-available').length
    const transcript = await openTranscript(folderStore(dirname(file)), basename(file))
    await transcript.close()
    expect(transcript.unfinished).toMatchObject({ runId: id, messageId: id })
    expect(transcript.source.startsWith(before)).toBe(true)
    const message = (await readBack(file)).at(-1)!
    const calls = message.parts.filter(isToolPart).map(part => part.toolInvocation)
    expect(calls.filter(one => one.state === 'output-available')).toHaveLength(outputs)
    expect(calls.map(one => one.toolCallId)).toEqual(calls.map((_, at) => `c${at}`))
  }
})
