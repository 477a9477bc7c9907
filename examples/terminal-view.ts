import { isToolPart, type Message, type MessagePart, type ToolInvocation } from 'argot'

/**
 * Draws a message in the terminal and keeps it up to date in place. In a pipe it draws nothing until the end, then the
 * finished message once, without colours.
 */
export class TerminalView {
  readonly #out: NodeJS.WriteStream
  #drawn: string[] = []

  constructor(out: NodeJS.WriteStream = process.stdout) {
    this.#out = out
  }

  /** Rewrites only what changed since the last call. */
  update(message: Message): void {
    if (this.#out.isTTY) this.#draw(render(message, this.#out.columns, true))
  }

  end(message: Message): void {
    if (this.#out.isTTY) this.update(message)
    else this.#out.write(`${render(message, 100, false).join('\n')}\n`)
  }

  #draw(lines: string[]): void {
    const room = Math.max(1, this.#out.rows - 1)
    const firstOnScreen = Math.max(0, this.#drawn.length - room)
    let same = firstOnScreen
    while (same < this.#drawn.length && this.#drawn[same] === lines[same]) same++
    if (same === this.#drawn.length && same === lines.length) return
    const up = this.#drawn.length - same
    const moveUp = up > 0 ? `\x1b[${up}A` : ''
    this.#out.write(`${moveUp}\r\x1b[J${lines.slice(same).join('\n')}\n`)
    this.#drawn = lines
  }
}

const styles = { dim: 2, bold: 1, green: 32, red: 31, yellow: 33, cyan: 36 } as const

function paint(text: string, style: keyof typeof styles, colours: boolean): string {
  return colours ? `\x1b[${styles[style]}m${text}\x1b[0m` : text
}

function render(message: Message, width: number, colours: boolean): string[] {
  return message.parts.flatMap(part => renderPart(part, Math.min(width, 100), colours))
}

function renderPart(part: MessagePart, width: number, colours: boolean): string[] {
  if (isToolPart(part)) return renderCall(part.toolInvocation, width, colours)
  if (part.type === 'reasoning') return wrap(part.text, width - 2).map(line => paint(`· ${line}`, 'dim', colours))
  if (part.type !== 'text') return []
  const lines = wrap(part.text, width - 2)
  if (part.phase === 'final') return ['', ...lines.map(line => paint(line, 'bold', colours))]
  return lines.map(line => (part.phase === 'commentary' ? paint(`  ${line}`, 'dim', colours) : `  ${line}`))
}

/** One line for the call and its state, one for what came back. */
function renderCall(call: ToolInvocation, width: number, colours: boolean): string[] {
  const { sign, style, words } = stateOf(call)
  const head = `${paint(sign, style, colours)} ${paint(call.toolName, 'bold', colours)} `
  const time =
    call.endedAt !== undefined && call.startedAt !== undefined
      ? ` ${((call.endedAt - call.startedAt) / 1000).toFixed(1)} s`
      : ''
  const room = width - call.toolName.length - words.length - time.length - 6
  const lines = [
    `${head}${paint(cut(JSON.stringify(call.input) ?? '', room), 'cyan', colours)} ${paint(words + time, 'dim', colours)}`,
  ]
  const result = call.errorText ?? (call.output === undefined ? undefined : JSON.stringify(call.output))
  if (result !== undefined)
    lines.push(paint(`  └ ${cut(result, width - 4)}`, call.errorText === undefined ? 'dim' : 'red', colours))
  return lines
}

function stateOf(call: ToolInvocation): { sign: string; style: keyof typeof styles; words: string } {
  switch (call.state) {
    case 'input-streaming':
      return { sign: '…', style: 'yellow', words: 'writing its input' }
    case 'input-available':
      return { sign: '▶', style: 'yellow', words: 'running' }
    case 'approval-requested':
      return { sign: '?', style: 'yellow', words: 'needs approval' }
    case 'approval-responded':
      return { sign: '▶', style: 'yellow', words: call.approval?.approved === true ? 'approved' : 'denied' }
    case 'output-available':
      return { sign: '✔', style: 'green', words: 'done' }
    case 'output-error':
      return { sign: '✖', style: 'red', words: 'failed' }
    case 'output-denied':
      return { sign: '✖', style: 'red', words: 'denied' }
  }
}

function cut(text: string, width: number): string {
  const room = Math.max(8, width)
  return text.length > room ? `${text.slice(0, room - 1)}…` : text
}

function wrap(text: string, width: number): string[] {
  return text
    .split('\n')
    .flatMap(line => line.match(new RegExp(`.{1,${Math.max(8, width)}}(?:\\s|$)|\\S+`, 'g')) ?? [''])
}
