/** The memory that a log needs is that of a piece of it, and of its longest line, however long the log is. */
import { closeSync, mkdtempSync, openSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import { LineReader } from '../../src/store/folder/line-reader.ts'
import { LogTails } from '../../src/store/folder/log-tails.ts'
import { readScanned, scanLog } from '../../src/store/folder/scan-log.ts'

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'argot-logs-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Everything that a reader gives, a line that was too long as `undefined`. */
function readAll(
  path: string,
  options: { longest: number; piece: number },
): { lines: (string | undefined)[]; rest: string } {
  const fd = openSync(path, 'r')
  try {
    const reader = new LineReader(fd, options)
    const lines: (string | undefined)[] = []
    for (let next = reader.next(); next.length > 0; next = reader.next())
      lines.push(...next.map(line => ('text' in line ? line.text : undefined)))
    return { lines, rest: reader.rest() }
  } finally {
    closeSync(fd)
  }
}

test('the lines are the same whatever the size of the pieces, and those that are too long are passed over', () => {
  const path = join(makeFolder(), 'log')
  const line = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.nat(60).map(length => 'é'.repeat(length)),
  )
  const text = fc
    .array(
      line.map(one => one.replaceAll('\n', '')),
      { maxLength: 12 },
    )
    .map(lines => lines.join('\n'))
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 40 }), fc.integer({ min: 8, max: 64 }), (content, piece, longest) => {
      writeFileSync(path, content)
      const bytes = vi.spyOn(Buffer, 'allocUnsafe')
      const { lines, rest } = readAll(path, { longest, piece })
      const most = Math.max(0, ...bytes.mock.calls.map(([size]) => size))
      bytes.mockRestore()
      expect(most).toBeLessThanOrEqual(longest)
      const all = content.split('\n')
      const last = all.pop()!
      expect(lines).toHaveLength(all.length)
      for (const [index, one] of all.entries()) {
        const size = Buffer.byteLength(one) + 1
        // A line with its newline fits into the buffer, or it does not.
        if (size <= longest) expect(lines[index]).toBe(one.toWellFormed())
        else expect(lines[index]).toBeUndefined()
      }
      expect(rest).toBe(Buffer.byteLength(last) <= longest ? last.toWellFormed() : '')
    }),
    { numRuns: shareOf(2000) },
  )
})

test('a line that is too long and then cut off is read anew', () => {
  const path = join(makeFolder(), 'log')
  writeFileSync(path, `one\n${'x'.repeat(100)}`)
  const fd = openSync(path, 'r')
  const reader = new LineReader(fd, { longest: 16, piece: 8 })
  expect(reader.next()).toEqual([{ text: 'one' }])
  expect(reader.next()).toEqual([])
  truncateSync(path, 4)
  writeFileSync(path, 'one\ntwo\n')
  expect(reader.next()).toEqual([{ text: 'two' }])
  closeSync(fd)
})

const logLine = (o: number): string => `{"o":${o},"t":${o},"chunk":{"type":"start-step"}}`

test('a log with a hole of 600 MB is read, followed by offsets, and says the same twice', () => {
  const path = join(makeFolder(), 'log.jsonl')
  const before = `{"argot":1}\n${logLine(0)}\n${logLine(1)}\n`
  writeFileSync(path, before)
  truncateSync(path, 600 * 1024 * 1024)
  writeFileSync(path, `\n${logLine(2)}\n`, { flag: 'a' })
  const facts = scanLog(path, undefined)!
  expect(facts).toMatchObject({ count: 3, next: 3 })
  expect([...readScanned(path, facts)].map(({ o }) => o)).toEqual([0, 1, 2])
  const tails = new LogTails()
  const offsets: number[] = []
  for (
    let lines = tails.read(path, 0, undefined);
    lines.length > 0;
    lines = tails.read(path, offsets.at(-1)! + 1, undefined)
  )
    offsets.push(...lines.map(({ o }) => o))
  expect(offsets).toEqual([0, 1, 2])
})

test('a long log is given in pieces, each line once', () => {
  const path = join(makeFolder(), 'log.jsonl')
  const count = 40_000
  writeFileSync(path, Array.from({ length: count }, (_, o) => `${logLine(o)}\n`).join(''))
  const tails = new LogTails()
  let next = 0
  let pieces = 0
  for (let lines = tails.read(path, 0, undefined); lines.length > 0; lines = tails.read(path, next, undefined)) {
    expect(lines[0]!.o).toBe(next)
    next = lines.at(-1)!.o + 1
    pieces++
  }
  expect(next).toBe(count)
  expect(pieces).toBeGreaterThan(4)
  // Whoever asks for a later offset gets it, from wherever the file was read to.
  expect(new LogTails().read(path, count - 1, undefined).map(({ o }) => o)).toEqual([count - 1])
  expect(new LogTails().read(path, count, undefined)).toEqual([])
})
