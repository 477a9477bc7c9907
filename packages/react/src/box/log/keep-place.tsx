import { Component, type ReactNode } from 'react'

/** A message, and where its upper edge is: this many pixels below that of the log. */
export interface LogPlace {
  messageId: string
  top: number
}

export interface KeepPlaceProps {
  ids: readonly string[]
  isVirtual: boolean
  scroller: { readonly current: HTMLElement | null }
  /** The row is not on the page: whoever draws the list brings it there. */
  onMissing: (place: LogPlace) => void
  children: ReactNode
}

/** Around the messages of a log: older ones that come above them, and another way of drawing them, move nothing. */
export class KeepPlace extends Component<KeepPlaceProps> {
  override getSnapshotBeforeUpdate({ ids, isVirtual }: KeepPlaceProps): LogPlace | null {
    const { current: log } = this.props.scroller
    const isOlder = ids.length > 0 && ids[0] !== this.props.ids[0] && this.props.ids.includes(ids[0]!)
    return log !== null && (isOlder || isVirtual !== this.props.isVirtual) ? (firstPlace(log) ?? null) : null
  }

  override componentDidUpdate(_props: KeepPlaceProps, _state: unknown, place: LogPlace | null): void {
    const { scroller, onMissing } = this.props
    if (place === null || scroller.current === null) return
    if (!restorePlace(scroller.current, place)) onMissing(place)
  }

  override render(): ReactNode {
    return this.props.children
  }
}

/** The first message that is in view. */
export function firstPlace(log: HTMLElement): LogPlace | undefined {
  const { top } = log.getBoundingClientRect()
  for (const row of log.querySelectorAll<HTMLElement>('[data-argot-message]')) {
    const box = row.getBoundingClientRect()
    if (box.bottom > top + 1) return { messageId: row.dataset.argotMessage!, top: Math.round(box.top - top) }
  }
  return undefined
}

/** Puts a message where it was; false where it is not on the page. */
export function restorePlace(log: HTMLElement, { messageId, top }: LogPlace): boolean {
  const row = log.querySelector<HTMLElement>(`[data-argot-message="${CSS.escape(messageId)}"]`)
  if (row === null) return false
  log.scrollTop += row.getBoundingClientRect().top - log.getBoundingClientRect().top - top
  return true
}
