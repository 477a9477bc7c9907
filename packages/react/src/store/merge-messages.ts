import type { Message } from '@argot/core'

/**
 * The existing messages merged with a page's new ones, each at its place. A message sent from here has a different id
 * there: the same words between the same neighbours are the same message.
 */
export function mergeMessages(here: readonly Message[], page: readonly Message[]): Message[] {
  const places = new Map(here.map(({ id }, at) => [id, at]))
  const result: Message[] = []
  let next = 0
  let news: Message[] = []
  const close = (end: number): void => {
    const own = here.slice(next, end)
    const words = own.map(joinWords)
    const isOwn = (message: Message): boolean => {
      const at = words.indexOf(joinWords(message))
      if (at >= 0) words.splice(at, 1)
      return at >= 0
    }
    result.push(...own, ...news.filter(message => !isOwn(message)))
    next = end
    news = []
  }
  for (const message of page) {
    const at = places.get(message.id)
    if (at === undefined || at < next) {
      if (at === undefined) news.push(message)
      continue
    }
    close(at)
    result.push(here[at]!)
    next = at + 1
  }
  close(here.length)
  return result
}

function joinWords({ role, parts }: Message): string {
  return JSON.stringify([role, ...parts.map(part => (part.type === 'text' ? part.text : part.type))])
}
