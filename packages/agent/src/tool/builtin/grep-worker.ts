/**
 * The program of the worker thread that searches texts for a pattern. It is a string because it must run the same from
 * the source and from the compiled package, and a thread because only a thread can be terminated in the middle of a
 * match.
 *
 * `workerData`: `{ pattern, flags, context, width, progress }`. The worker answers a message `{ texts, limit }` with
 * `{ lines: Line[][], matches }`. A line is `{ line, text, match }`, and null is a gap between lines.
 */
export const grepWorker: string = String.raw`
const { parentPort, workerData } = require('node:worker_threads')
const { context, width, progress } = workerData
const expression = new RegExp(workerData.pattern, workerData.flags)

function show(text, at) {
  if (text.length <= width) return text
  let from = at + 1 < width ? 0 : Math.max(0, Math.min(at - (width >> 1), text.length - width))
  let to = Math.min(text.length, from + width)
  if (isLow(text.charCodeAt(from))) from++
  if (isLow(text.charCodeAt(to))) to--
  // A key that the cut goes through could not be recognised any more.
  if (from > 0 && inWord(text, from - 1)) {
    let next = from
    while (next < at && inWord(text, next)) next++
    if (next < at) from = next
  }
  if (to < text.length && inWord(text, to)) {
    let next = to
    while (next > at + 1 && inWord(text, next - 1)) next--
    if (next > at + 1) to = next
  }
  return (from > 0 ? '…' : '') + text.slice(from, to) + (to < text.length ? '…' : '')
}

function inWord(text, at) {
  return /[\w+/=.~%-]/.test(text[at])
}

// As in surrogates.ts of argot, which a program that is a string cannot import.
function isLow(unit) {
  return unit >= 0xdc00 && unit <= 0xdfff
}

function search(text, limit) {
  const lines = []
  const before = []
  let matches = 0
  let after = 0
  let lastLine = 0
  for (let start = text.charCodeAt(0) === 0xfeff ? 1 : 0, line = 1; start < text.length; line++) {
    let end = text.indexOf('\n', start)
    if (end === -1) end = text.length
    const whole = text.slice(start, text[end - 1] === '\r' ? end - 1 : end)
    start = end + 1
    const match = matches < limit ? expression.exec(whole) : null
    if (match !== null) {
      matches++
      const first = line - before.length
      if (context > 0 && lastLine > 0 && first > lastLine + 1) lines.push(null)
      before.forEach((one, index) => lines.push({ line: first + index, text: show(one, 0), match: false }))
      before.length = 0
      lines.push({ line, text: show(whole, match.index), match: true })
      lastLine = line
      after = context
    } else if (after > 0) {
      after--
      lines.push({ line, text: show(whole, 0), match: false })
      lastLine = line
    } else if (matches >= limit) {
      break
    } else if (context > 0) {
      before.push(whole)
      if (before.length > context) before.shift()
    }
  }
  return { lines, matches }
}

parentPort.on('message', ({ texts, limit }) => {
  let matches = 0
  const lines = texts.map((text, index) => {
    Atomics.store(progress, 0, index)
    const result = matches < limit ? search(text, limit - matches) : { lines: [], matches: 0 }
    matches += result.matches
    return result.lines
  })
  parentPort.postMessage({ lines, matches })
})
`
