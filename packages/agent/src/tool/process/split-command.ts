import { ArgotError } from '@argot/core'

/**
 * Splits a command line into words. `'…'`, `"…"` and a backslash keep spaces as in a shell; nothing is expanded. Throws
 * `TOOL_BAD_COMMAND` if the line names no program, has an open quote, ends with a backslash, or contains a NUL
 * character.
 */
export function splitCommand(command: string): [string, ...string[]] {
  if (command.includes('\0')) throw bad(command, 'it contains a NUL character')
  const words: string[] = []
  let word: string | undefined
  for (let at = 0; at < command.length; ) {
    const character = command[at]!
    if (isSpace(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
      at++
      continue
    }
    const [text, next] = readPiece(command, at)
    word = (word ?? '') + text
    at = next
  }
  if (word !== undefined) words.push(word)
  const [program, ...rest] = words
  if (program === undefined || program === '') throw bad(command, 'it names no program')
  return [program, ...rest]
}

function isSpace(character: string): boolean {
  return character === ' ' || character === '\t' || character === '\n' || character === '\r'
}

/** A quoted piece, an escaped character or plain characters, and where the next piece begins. */
function readPiece(command: string, at: number): [string, number] {
  const character = command[at]
  if (character === '\\') {
    if (at + 1 === command.length) throw bad(command, 'it ends with a backslash')
    return [command[at + 1]!, at + 2]
  }
  if (character === "'") {
    const end = command.indexOf("'", at + 1)
    if (end < 0) throw bad(command, "a ' is not closed")
    return [command.slice(at + 1, end), end + 1]
  }
  if (character === '"') return readDoubleQuoted(command, at + 1)
  let end = at
  while (end < command.length && !isSpace(command[end]!) && !'\\\'"'.includes(command[end]!)) end++
  return [command.slice(at, end), end]
}

function readDoubleQuoted(command: string, start: number): [string, number] {
  let text = ''
  for (let at = start; at < command.length; at++) {
    const character = command[at]!
    if (character === '"') return [text, at + 1]
    const next = command[at + 1]
    if (character === '\\' && next !== undefined && '"\\$`'.includes(next)) {
      text += next
      at++
    } else text += character
  }
  throw bad(command, 'a " is not closed')
}

function bad(command: string, reason: string): ArgotError {
  return new ArgotError('TOOL_BAD_COMMAND', `The command ${JSON.stringify(command)} can't run: ${reason}.`)
}
