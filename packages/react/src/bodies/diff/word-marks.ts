/** A marked piece has changed. */
export interface DiffPiece {
  text: string
  isMarked: boolean
}

/** Marks that cover nearly the whole line are useless. */
const MOST_MARKED = 0.8
const LONGEST_LINE = 2000

/**
 * A line's words that its other version doesn't have: everything between their common beginning and their common end,
 * cut at words. Undefined if nearly all of it differs.
 */
export function wordMarks(text: string, other: string): DiffPiece[] | undefined {
  if (text.length > LONGEST_LINE || other.length > LONGEST_LINE) return undefined
  const words = splitWords(text)
  const others = splitWords(other)
  let start = 0
  while (start < words.length && start < others.length && words[start] === others[start]) start++
  let end = 0
  while (
    end < words.length - start &&
    end < others.length - start &&
    words[words.length - 1 - end] === others[others.length - 1 - end]
  )
    end++
  // An insertion may begin earlier: "options.[zeroBased ? options.]from" is "[options.zeroBased ? ]options.from".
  const isInsertion = start + end === others.length
  const begins = () => words[start - 1] === words[words.length - end - 1] && words[start - 1]?.trim() !== ''
  while (isInsertion && start > 0 && start < words.length - end && begins()) {
    start--
    end++
  }
  const head = words.slice(0, start).join('')
  const middle = words.slice(start, words.length - end).join('')
  const tail = words.slice(words.length - end).join('')
  if (middle === '') return [{ text, isMarked: false }]
  const commonLength = (head + tail).trim().length
  if (commonLength === 0 || middle.trim().length > MOST_MARKED * text.trim().length) {
    return undefined
  }
  return [
    { text: head, isMarked: false },
    { text: middle, isMarked: true },
    { text: tail, isMarked: false },
  ].filter(piece => piece.text !== '')
}

function splitWords(line: string): string[] {
  return line.match(/[\p{L}\p{N}_]+|\s+|./gsu) ?? []
}
