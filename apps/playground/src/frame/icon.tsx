import type { ReactNode } from 'react'

const paths = {
  check: 'M3.5 8.4l3 3 6-6.8',
  cross: 'M4.25 4.25l7.5 7.5M11.75 4.25l-7.5 7.5',
  warning: 'M8 4.25v4.5M8 11.5h.01',
  shield: 'M8 2.25l4.75 1.75v3.75c0 2.9-1.9 4.9-4.75 6-2.85-1.1-4.75-3.1-4.75-6V4z',
  thought: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  lines: 'M3 5h10M3 8h10M3 11h6',
  pen: 'M10.75 3.25l2 2-7.25 7.25H3.5v-2z',
  pause: 'M5.75 4v8M10.25 4v8',
  play: 'M5.5 3.5v9l7-4.5z',
  start: 'M4 4v8M12 4l-5.5 4L12 12z',
  link: 'M6.75 9.25l2.5-2.5M7.5 5l1.2-1.2a2.3 2.3 0 0 1 3.5 3.3L11 8.3M8.5 11l-1.2 1.2a2.3 2.3 0 0 1-3.5-3.3L5 7.7',
  copy: 'M6 5.75h6.25v7H6zM4 10.25V3.5h6.25',
} as const

export type PlaygroundIconName = keyof typeof paths

/** A 16 px icon without a name: a word is next to it, or its button has a label. */
export function Icon({ name }: { name: PlaygroundIconName }): ReactNode {
  return (
    <svg className="argot-glyph icon" data-icon={name} viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
