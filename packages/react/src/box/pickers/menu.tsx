import { type ReactNode, useId, useState } from 'react'
import { MenuPopup, type MenuPopupProps } from './menu-popup.tsx'

export interface MenuProps extends Pick<MenuPopupProps, 'items' | 'head' | 'renderEnd'> {
  /** The button's accessible name, which includes its visible text. */
  name: string
  children: ReactNode
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
  className: string
  /** −1 inside a list that has one tab stop. */
  tabIndex?: number | undefined
}

/** A button that opens a menu below it. */
export function Menu({ name, children, isOpen, onOpen, className, tabIndex, ...rest }: MenuProps): ReactNode {
  const [button, setButton] = useState<HTMLButtonElement | null>(null)
  const id = useId()
  return (
    <span className="argot argot-pick-place">
      <button
        ref={setButton}
        type="button"
        className={className}
        aria-label={name}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        tabIndex={tabIndex}
        onClick={() => onOpen(!isOpen)}
        onKeyDown={event => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
          event.preventDefault()
          event.stopPropagation()
          onOpen(true)
        }}
      >
        {children}
      </button>
      {isOpen && <MenuPopup {...rest} id={id} name={name} anchor={button} onClose={() => onOpen(false)} />}
    </span>
  )
}
