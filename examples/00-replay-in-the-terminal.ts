import { readFile } from 'node:fs/promises'
import { accumulate, parseLog, replay } from 'argot'
import { TerminalView } from './terminal-view.ts'

// A recorded run, replayed live: the same chunks, the same message, the same view as in a run of today.
const { lines } = parseLog(
  await readFile(new URL('../fixtures/conversations/release-notes.jsonl', import.meta.url), 'utf8'),
)
const view = new TerminalView()
let time = 0
const accumulator = accumulate({ now: () => time })
const times = new Map(lines.map(({ chunk, t }) => [chunk, t]))

if (process.stdout.isTTY) console.log('A recorded run, replayed as it was. The next command to try: npm test\n')
for await (const chunk of replay(lines, { speed: process.stdout.isTTY ? 1 : Number.POSITIVE_INFINITY })) {
  time = times.get(chunk) ?? time
  accumulator.push(chunk)
  if (accumulator.message) view.update(accumulator.message)
}
accumulator.end()
if (accumulator.message) view.end(accumulator.message)
