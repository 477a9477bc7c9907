import type { ReactNode } from 'react'

/** Code in its own box: it scrolls sideways, never downwards, and can be scrolled with the keyboard. */
export function ScrollBox({ label, children }: { label: string; children: ReactNode }): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: neither a landmark, of which a page would have hundreds, nor fields
    <div className="argot-code" data-part="code" role="group" tabIndex={0} aria-label={label}>
      {children}
    </div>
  )
}
