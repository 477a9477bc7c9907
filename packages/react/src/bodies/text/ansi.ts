/** A piece of terminal text in one style. The classes are those of the stylesheet, without the prefix `argot-ansi-`. */
export interface AnsiPiece {
  text: string
  classes: readonly string[]
}

const colours = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const
type Colour = (typeof colours)[number]

interface AnsiStyle {
  colour: Colour | undefined
  ground: Colour | undefined
  bold: boolean
  dim: boolean
  italic: boolean
  underline: boolean
}

const plain: AnsiStyle = {
  colour: undefined,
  ground: undefined,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
}

/**
 * Terminal text in pieces of one style each. Colours become one of eight. Cursor movements, titles and links are left
 * out. A line that a program overwrote (`\r`) is shown in its last state. Linear in the text.
 */
export function parseAnsi(text: string): AnsiPiece[] {
  const pieces: AnsiPiece[] = []
  let style = plain
  let line: AnsiPiece[] = []
  let isReturned = false
  const flush = () => {
    pieces.push(...line)
    line = []
  }
  for (const token of tokens(text)) {
    if (token.kind === 'style') style = applyCodes(style, token.text)
    else if (token.kind === 'text') {
      if (isReturned) line = []
      isReturned = false
      line.push({ text: token.text, classes: toClasses(style) })
    } else if (token.kind === 'return') isReturned = true
    else if (token.kind === 'back') dropLast(line)
    else if (token.kind === 'break') {
      isReturned = false
      line.push({ text: '\n', classes: [] })
      flush()
    }
  }
  flush()
  return joinPieces(pieces)
}

interface Token {
  kind: 'text' | 'style' | 'return' | 'break' | 'back'
  text: string
}

// A control sequence ends at its final byte; titles and links end at BEL or ESC \. An unfinished one is left out.
const control =
  /\u001b\[([0-9;:?<=>]*)([ -/]*)([@-~])|[\u001b\u009b][\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]?|\r\n|[\n\r\b]|[\u0000-\u0007\u000b\u000c\u000e-\u001f\u007f-\u009f]/g

function* tokens(text: string): Generator<Token> {
  let at = 0
  control.lastIndex = 0
  for (const match of text.matchAll(control)) {
    if (match.index > at) yield { kind: 'text', text: text.slice(at, match.index) }
    at = match.index + match[0].length
    const kind = getKind(match[0], match[3])
    if (kind !== undefined) yield { kind, text: match[1] ?? '' }
  }
  if (at < text.length) yield { kind: 'text', text: text.slice(at) }
}

function getKind(match: string, final: string | undefined): Token['kind'] | undefined {
  if (final === 'm') return 'style'
  if (match === '\n' || match === '\r\n') return 'break'
  if (match === '\r') return 'return'
  return match === '\b' ? 'back' : undefined
}

function applyCodes(before: AnsiStyle, parameters: string): AnsiStyle {
  const style = { ...before }
  const codes = parameters.split(/[;:]/).map(Number)
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at]!
    if (code === 38 || code === 48) {
      const [colour, used] = readExtendedColour(codes, at + 1)
      if (code === 38) style.colour = colour
      else style.ground = colour
      at += used
    } else apply(style, code)
  }
  return style
}

function apply(style: AnsiStyle, code: number): void {
  if (code === 0) Object.assign(style, plain)
  else if (code === 1) style.bold = true
  else if (code === 2) style.dim = true
  else if (code === 3) style.italic = true
  else if (code === 4) style.underline = true
  else if (code === 22) Object.assign(style, { bold: false, dim: false })
  else if (code === 23) style.italic = false
  else if (code === 24) style.underline = false
  else if (code === 39) style.colour = undefined
  else if (code === 49) style.ground = undefined
  else if (code === 90) Object.assign(style, { colour: undefined, dim: true })
  else if (code >= 30 && code <= 37) style.colour = colours[code - 30]
  else if (code >= 91 && code <= 97) style.colour = colours[code - 90]
  else if (code >= 40 && code <= 47) style.ground = colours[code - 40]
  else if (code >= 100 && code <= 107) style.ground = colours[code - 100]
}

/** A 256-colour or RGB code as the nearest of eight colours, and how many codes it took. */
function readExtendedColour(codes: readonly number[], at: number): [Colour | undefined, number] {
  if (codes[at] === 5) return [nearest(toRgb(codes[at + 1] ?? 0)), 2]
  if (codes[at] !== 2) return [undefined, 1]
  return [nearest([codes[at + 1] ?? 0, codes[at + 2] ?? 0, codes[at + 3] ?? 0]), 4]
}

type Rgb = readonly [red: number, green: number, blue: number]

function toRgb(index: number): Rgb {
  if (index < 16) return [index & 1, index & 2, index & 4].map(bit => (bit ? 255 : 0)) as unknown as Rgb
  if (index >= 232) return [128, 128, 128]
  const value = index - 16
  return [Math.floor(value / 36), Math.floor(value / 6) % 6, value % 6].map(part => part * 51) as unknown as Rgb
}

function nearest([red, green, blue]: Rgb): Colour | undefined {
  const most = Math.max(red, green, blue)
  const least = Math.min(red, green, blue)
  if (most - least < 40) return most > 170 || most < 60 ? undefined : 'black'
  const middle = (most + least) / 2
  return colours[(red > middle ? 1 : 0) + (green > middle ? 2 : 0) + (blue > middle ? 4 : 0)]
}

/** A background colour becomes the text's colour, in bold: words on a tint would make the tint carry meaning. */
function toClasses(style: AnsiStyle): string[] {
  const isSign = style.ground !== undefined && style.ground !== 'black' && style.ground !== 'white'
  const colour = isSign ? style.ground : style.colour
  return [
    ...(colour === undefined || colour === 'white' ? [] : [colour]),
    ...(style.bold || isSign ? ['bold'] : []),
    ...(style.dim && colour === undefined ? ['dim'] : []),
    ...(style.italic ? ['italic'] : []),
    ...(style.underline ? ['underline'] : []),
  ]
}

function dropLast(line: AnsiPiece[]): void {
  const last = line.at(-1)
  if (last === undefined) return
  if (last.text.length <= 1) line.pop()
  else line[line.length - 1] = { ...last, text: last.text.slice(0, -1) }
}

function joinPieces(pieces: readonly AnsiPiece[]): AnsiPiece[] {
  const result: { texts: string[]; classes: readonly string[] }[] = []
  for (const { text, classes } of pieces) {
    const last = result.at(-1)
    const isSame = last !== undefined && (text === '\n' || last.classes.join() === classes.join())
    if (isSame) last.texts.push(text)
    else result.push({ texts: [text], classes })
  }
  return result.map(({ texts, classes }) => ({ text: texts.join(''), classes }))
}
