import type { ErrorCode } from '../../source/error.ts'
import { CR, isBlank, isBlankOrCr, LF, trimBlanks } from '../reader/char-codes.ts'
import type { Reader } from '../reader/reader.ts'
import type { State, States } from '../reader/states.ts'
import { RawBlock } from './raw-block.ts'

const CARET = 94
const DASH = 45
const COLON = 58
const OPEN_BRACKET = 91

export function caretStates(reader: Reader): States {
  let name = ''
  /** The parameter of this line or of the open value, and its offset. */
  let key = ''
  let keyOffset = 0
  /** The carets of a closing fence or the spaces after a name, so far. `dashes`: those of the open value's marker. */
  let run = 0
  let dashes = 0
  /** The opening marker's line ends in CR LF. */
  let crlf = false
  /** The current line of a list, and the items before it. */
  let line: string[] = []
  let items: string[] = []
  /** The last parameter has no value on its line. The next line may make it a list. */
  let isEmptyParameter = false
  /** For a value on its name's line. */
  let valueOffset = 0
  /** Spaces that are only part of the value if more of it follows. */
  let tail = ''
  /** What the text would end in the middle of. */
  let inside: 'block' | 'value' | 'list' = 'block'
  const block = new RawBlock()

  /**
   *   | ^^^read_file
   *     ^
   */
  function opener(): State {
    const isMatch = reader.expect('^^^')
    if (isMatch === undefined) return opener
    reader.word = ''
    return isMatch ? toolName : reader.notCall()
  }

  /**
   *   | ^^^read_file
   *        ^
   */
  function toolName(): State {
    if (!reader.readName()) return toolName
    if (reader.word === '') return reader.notCall()
    name = reader.word
    return afterToolName
  }

  /**
   *   | ^^^read_file
   *                 ^
   */
  function afterToolName(): State {
    if (!reader.skipBlanks()) return afterToolName
    if (codeHere() !== LF) return reader.notCall()
    const otherState = reader.open(name)
    if (otherState !== undefined) return otherState
    inside = 'block'
    isEmptyParameter = false
    return nextLine()
  }

  /**
   *   | ^^^read_file
   * > | path: src/main.rs
   *     ^
   *   | ^^^
   */
  function startOfLine(): State {
    run = 0
    if (codeHere() !== CARET) return indent
    endEmpty()
    return closingFence
  }

  /**
   *   |   path: src/main.rs
   *     ^^
   */
  function indent(): State {
    if (!reader.skipBlanks()) return indent
    if (codeHere() === LF) return nextLine()
    reader.word = ''
    if (isEmptyParameter && codeHere() === DASH) {
      reader.at++
      return afterDash
    }
    endEmpty()
    keyOffset = reader.offset
    return parameterName
  }

  /**
   *   | paths:
   * > | - src/main.rs
   *      ^
   */
  function afterDash(): State {
    if (isBlankOrCr(codeHere()) || codeHere() === LF) {
      line = []
      return itemLine
    }
    endEmpty()
    keyOffset = reader.offset - 1
    reader.word = '-'
    return parameterName
  }

  /**
   *   | paths:
   * > | - src/main.rs
   *       ^
   */
  function itemLine(): State {
    if (!readLine()) return itemLine
    items.push(trimBlanks(line.join('')))
    return nextLine()
  }

  /**
   *   | path: src/main.rs
   * > | ^^^
   *     ^
   */
  function closingFence(): State {
    while (reader.at < reader.text.length && codeHere() === CARET) {
      run++
      reader.at++
    }
    if (reader.at === reader.text.length) return closingFence
    return run === 3 ? afterClosingFence : strayLine()
  }

  /**
   * > | ^^^
   *        ^
   */
  function afterClosingFence(): State {
    if (!reader.skipBlanks()) return afterClosingFence
    if (codeHere() === LF) return reader.close()
    const message = `A block begins inside the block of \`${name}\`, which has no closing line \`^^^\`.`
    reader.call?.fail('SYNTAX_NESTED_CALL', message, reader.offset)
    return restOfLine
  }

  /**
   *   | path: src/main.rs
   *     ^
   */
  function parameterName(): State {
    if (!reader.readName()) return parameterName
    key = reader.word
    run = 0
    return key === '' ? strayLine() : afterName
  }

  /**
   *   | path: src/main.rs
   *         ^
   *   | content ---
   *            ^
   */
  function afterName(): State {
    while (reader.at < reader.text.length && isBlank(codeHere())) {
      run++
      reader.at++
    }
    if (reader.at === reader.text.length) return afterName
    const code = codeHere()
    if (code === COLON) {
      reader.at++
      tail = ''
      return afterColon
    }
    if (code !== DASH || run === 0) return strayLine()
    dashes = 0
    return openingMarker
  }

  /** Two colons are a mistake: a value that begins with a colon needs a space before it. */
  function afterColon(): State {
    return codeHere() === COLON ? strayLine() : beforeInline
  }

  /**
   *   | path: src/main.rs
   *          ^
   */
  function beforeInline(): State {
    if (!reader.skipBlanks()) return beforeInline
    const code = codeHere()
    if (code === LF) {
      isEmptyParameter = true
      items = []
      return nextLine()
    }
    valueOffset = reader.offset
    if (code === OPEN_BRACKET) {
      reader.at++
      tail = '['
      return afterBracket
    }
    reader.call?.begin(key, keyOffset)
    return inline
  }

  /**
   *   | paths: [
   *             ^
   */
  function afterBracket(): State {
    const start = reader.at
    const hasEnded = reader.skipBlanks()
    tail += reader.text.slice(start, reader.at)
    if (!hasEnded) return afterBracket
    if (codeHere() === LF) {
      items = []
      line = []
      inside = 'list'
      reader.at++
      return listLine
    }
    reader.call?.begin(key, keyOffset)
    return inline
  }

  /**
   *   | path: src/main.rs
   *           ^
   */
  function inline(): State {
    const { text, at } = reader
    const lineEnd = text.indexOf('\n', at)
    const end = lineEnd < 0 ? text.length : lineEnd
    let contentEnd = end
    while (contentEnd > at && isBlankOrCr(text.charCodeAt(contentEnd - 1))) contentEnd--
    if (contentEnd > at) {
      reader.call?.write(tail + text.slice(at, contentEnd))
      tail = ''
    }
    tail += text.slice(contentEnd, end)
    reader.at = end
    if (lineEnd < 0) return inline
    reader.call?.end(reader.between(valueOffset, reader.offset - tail.length), true)
    return nextLine()
  }

  /**
   *   | paths: [
   * > | src/main.rs
   *     ^
   *   | ]
   */
  function listLine(): State {
    if (!readLine()) return listLine
    const item = trimBlanks(line.join(''))
    line = []
    if (item === ']') {
      if (holdsNextBlock(items)) {
        const message = `The line \`]\` that closes \`${key}\` is missing, so it swallows the next block.`
        reader.call?.fail('SYNTAX_NESTED_CALL', message, keyOffset)
      }
      reader.call?.list(key, items, keyOffset)
      inside = 'block'
      return nextLine()
    }
    if (item !== '') items.push(item)
    reader.at++
    return listLine
  }

  /**
   *   | content ---
   *             ^
   */
  function openingMarker(): State {
    while (reader.at < reader.text.length && codeHere() === DASH) {
      dashes++
      reader.at++
    }
    if (reader.at === reader.text.length) return openingMarker
    crlf = false
    return dashes < 3 ? strayLine() : afterOpeningMarker
  }

  /**
   *   | content ---
   *                ^
   */
  function afterOpeningMarker(): State {
    while (reader.at < reader.text.length && isBlankOrCr(codeHere())) {
      crlf = codeHere() === CR
      reader.at++
    }
    if (reader.at === reader.text.length) return afterOpeningMarker
    if (codeHere() !== LF) return strayLine()
    reader.at++
    reader.call?.begin(key, keyOffset)
    block.begin(reader, key, dashes, crlf)
    inside = 'value'
    return rawLines
  }

  /**
   *   | content ---
   * > | fn main() {}
   *     ^
   *   | --- content
   */
  function rawLines(): State {
    if (!block.read(reader)) return rawLines
    reader.call?.end(block.text(reader))
    inside = 'block'
    return nextLine()
  }

  /** A line that isn't a parameter. The same rules still apply, so the block's values still hide what they contain. */
  function strayLine(): State {
    const message = `A line in the block of \`${name}\` is neither \`name: value\` nor a part of a longer value.`
    if (!reader.atEnd) reader.call?.fail('SYNTAX_STRAY_TEXT', message, reader.offset)
    return restOfLine
  }

  function restOfLine(): State {
    line = []
    return readLine() ? nextLine() : restOfLine
  }

  function nextLine(): State {
    reader.at++
    return startOfLine
  }

  /** A parameter without a value on its line is the list of the items below it, or empty. */
  function endEmpty(): void {
    if (!isEmptyParameter) return
    isEmptyParameter = false
    if (items.length > 0) reader.call?.list(key, items, keyOffset)
    else {
      reader.call?.begin(key, keyOffset)
      reader.call?.end('', true)
    }
  }

  /** Reads to the end of the line, into `line`. Returns true when it gets there. */
  function readLine(): boolean {
    const lineEnd = reader.text.indexOf('\n', reader.at)
    const end = lineEnd < 0 ? reader.text.length : lineEnd
    line.push(reader.text.slice(reader.at, end))
    reader.at = end
    return lineEnd >= 0
  }

  function codeHere(): number {
    return reader.text.charCodeAt(reader.at)
  }

  function unclosed(source: string): { code: ErrorCode; message: string } {
    if (inside === 'block') {
      return { code: 'SYNTAX_UNCLOSED_CALL', message: `The text ends before the line \`^^^\` that closes \`${name}\`.` }
    }
    if (inside === 'list') {
      return { code: 'SYNTAX_UNCLOSED_VALUE', message: `The text ends before the line \`]\` that closes \`${key}\`.` }
    }
    const closing = `\`${'-'.repeat(dashes)} ${key}\``
    const [, wrong] = /\n(-{3,}[ \t]+[\w.-]+)[ \t\r]*\n\^\^\^[ \t\r]*(?:\n|$)/.exec(source) ?? []
    return wrong === undefined
      ? { code: 'SYNTAX_UNCLOSED_VALUE', message: `The text ends before the line ${closing}.` }
      : { code: 'SYNTAX_WRONG_CLOSING', message: `\`${wrong}\` is written where the line ${closing} should be.` }
  }

  return { opener, unclosed }
}

/** The list contains the end of its block and then the line that opens another. */
function holdsNextBlock(items: readonly string[]): boolean {
  const end = items.indexOf('^^^')
  return end >= 0 && items.some((item, index) => index > end && /^\^\^\^[\w.-]+$/.test(item))
}
