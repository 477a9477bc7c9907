import type { ReactNode } from 'react'

/** Code in its own box: it scrolls sideways, never downwards, and can be scrolled with the keyboard. */
export function ScrollBox({ label, children }: { label: string; children: ReactNode }): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="argot-code" tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}
