import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ElicitResult } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Connected, connect, type Era, type McpPlace, makeMcpPlace, textIn, type Wire } from './mcp-place.ts'

/** What the client answers, by the file that the call would write. */
const answers: Record<string, ElicitResult> = {
  'yes.txt': { action: 'accept', content: { approve: true } },
  'no.txt': { action: 'accept', content: { approve: false, reason: 'Not on a Friday.' } },
  'word.txt': { action: 'accept', content: { approve: 'true' } },
  'decline.txt': { action: 'decline', content: { approve: true } },
  'cancel.txt': { action: 'cancel' },
}

describe.each<{ era: Era; wire: Wire }>([
  { era: 'modern', wire: 'stdio' },
  { era: 'legacy', wire: 'http' },
])('--approve-by-client with a $era client over $wire', ({ era, wire }) => {
  let place: McpPlace
  let server: Connected
  beforeAll(async () => {
    place = await makeMcpPlace()
    const fill = ({ message }: { message: string }): ElicitResult | Promise<ElicitResult> =>
      message.includes('never.txt')
        ? new Promise(() => {})
        : answers[Object.keys(answers).find(name => message.includes(name)) ?? '']!
    server = await connect(place, { era, wire, fill, flags: ['--approve-by-client', '--max-calls', '1'] })
  })
  afterAll(async () => {
    await server.close()
    await place.close()
  })

  test('the client sees all of a call, and only a clear yes runs it', async () => {
    for (const file of Object.keys(answers)) {
      const result = await server.client.callTool({ name: 'write', arguments: { file } })
      expect(existsSync(join(place.docs, file))).toBe(file === 'yes.txt')
      if (file === 'no.txt') expect(textIn(result)).toContain('Not on a Friday.')
    }
    expect(await readFile(join(place.docs, 'yes.txt'), 'utf8')).toBe('written')
    expect(server.forms[0]!.message).toContain('The model wants to call write_file (Write file). It changes files.')
    expect(server.forms[0]!.message).toMatch(/yes\.txt[\s\S]*\+written/)
  })

  test.runIf(era === 'legacy')('a call that is cancelled while its form is open is stopped', async () => {
    const stop = new AbortController()
    const shown = server.forms.length
    const call = server.client.callTool({ name: 'write', arguments: { file: 'never.txt' } }, { signal: stop.signal })
    call.catch(() => {})
    await expect.poll(() => server.forms.length, { timeout: 30_000 }).toBe(shown + 1)
    stop.abort()
    await expect
      .poll(async () => textIn(await server.client.callTool({ name: 'tea', arguments: { topic: 'x' } })), {
        timeout: 30_000,
      })
      .toContain('You said')
    expect(existsSync(join(place.docs, 'never.txt'))).toBe(false)
  })

  test('calls over the limit are refused, and there is room again when one has ended', async () => {
    const stop = new AbortController()
    const reports: unknown[] = []
    const options = { signal: stop.signal, onprogress: (report: unknown) => reports.push(report) }
    const first = server.client.callTool({ name: 'hang', arguments: { word: 'x' } }, options)
    first.catch(() => {})
    await expect.poll(() => reports.length, { timeout: 30_000 }).toBeGreaterThan(0)
    const second = await server.client.callTool({ name: 'tea', arguments: { topic: 'x' } })
    expect(textIn(second)).toContain('SERVER_TOO_MANY: There may be at most 1 calls')
    stop.abort()
    await expect
      .poll(async () => textIn(await server.client.callTool({ name: 'tea', arguments: { topic: 'y' } })), {
        timeout: 30_000,
      })
      .toContain('You said')
  })
})

test('a client that shows no forms is asked nothing: calls are refused and questions fail', async () => {
  const place = await makeMcpPlace()
  const server = await connect(place, { era: 'modern', wire: 'stdio', flags: ['--approve-by-client'] })
  const written = await server.client.callTool({ name: 'write', arguments: { file: 'a.txt' } })
  expect(textIn(written)).toContain('this server asks no one for approval')
  const asked = await server.client.callTool({ name: 'ask', arguments: { file: 'colour' } })
  expect(textIn(asked)).toContain('No one can be asked')
  await server.close()
  await place.close()
})
