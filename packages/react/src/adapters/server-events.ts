/** An event from `/api/events`: `run`, `document`, `chunk` or `ready`; `lost` when the connection was lost. */
export interface ServerEvent {
  name: string
  data: unknown
}

/** A response's events as they arrive. Anything that is not JSON is skipped. */
export async function* readServerEvents(response: Response): AsyncGenerator<ServerEvent> {
  if (response.body === null) return
  const reader = response.body.getReader()
  const utf8 = new TextDecoder()
  let pieces: string[] = []
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const text = utf8.decode(value, { stream: true })
      const end = text.lastIndexOf('\n\n')
      // An event that is cut between its two line ends is completed by the next piece.
      const isWhole = end >= 0 || (text.startsWith('\n') && pieces.at(-1)?.endsWith('\n') === true)
      pieces.push(text)
      if (!isWhole) continue
      const all = pieces.join('')
      const cut = all.lastIndexOf('\n\n') + 2
      pieces = cut < all.length ? [all.slice(cut)] : []
      for (const block of all.slice(0, cut).split('\n\n')) {
        const event = readBlock(block)
        if (event !== undefined) yield event
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function readBlock(block: string): ServerEvent | undefined {
  let name = 'message'
  let json: string | undefined
  for (const line of block.split('\n')) {
    if (line.startsWith('event: ')) name = line.slice(7)
    else if (line.startsWith('data: ')) json = json === undefined ? line.slice(6) : `${json}\n${line.slice(6)}`
  }
  if (json === undefined) return undefined
  try {
    return { name, data: JSON.parse(json) }
  } catch {
    return undefined
  }
}
