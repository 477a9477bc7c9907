import type { ReactNode } from 'react'
import { Icon, type PlaygroundIconName } from '../frame/icon.tsx'
import { formatCount } from '../state/words.ts'

export interface ItemPlace {
  start: number
  end: number
}

interface ItemProps {
  kind: string
  icon: PlaygroundIconName
  title: ReactNode
  meta?: ReactNode
  place: ItemPlace
  onShow: (place: ItemPlace) => void
  children?: ReactNode
}

export function Item({ kind, icon, title, meta, place, onShow, children }: ItemProps): ReactNode {
  return (
    <li className="item" data-kind={kind}>
      <span className="item-sign">
        <Icon name={icon} />
      </span>
      <div className="item-head">
        <h3 className="item-title">{title}</h3>
        {meta !== undefined && <span className="meta">{meta}</span>}
        <button type="button" className="place" onClick={() => onShow(place)}>
          <span className="hidden">Show characters </span>
          {formatCount(place.start)}–{formatCount(place.end)}
          <span className="hidden"> in the text</span>
        </button>
      </div>
      {children}
    </li>
  )
}
