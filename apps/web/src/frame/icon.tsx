import type { ReactNode } from 'react'

const paths = {
  plus: 'M8 3v10M3 8h10',
  down: 'M4.5 6.5L8 10l3.5-3.5',
  right: 'M6.25 4l4 4-4 4',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  cross: 'M4.25 4.25l7.5 7.5M11.75 4.25l-7.5 7.5',
  trash: 'M3 4.75h10M6.5 4.75V3h3v1.75M4.5 4.75l.5 8.25h6l.5-8.25',
  branch: 'M4.5 3v5.5a2 2 0 0 0 2 2h5M9.25 8.25l2.25 2.25-2.25 2.25',
  star: 'M8 2.2l1.8 3.6 4 .6-2.9 2.8.7 4L8 11.3l-3.6 1.9.7-4L2.2 6.4l4-.6z',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  keys: 'M3.25 4h9.5a1.5 1.5 0 0 1 1.5 1.5v5a1.5 1.5 0 0 1-1.5 1.5h-9.5a1.5 1.5 0 0 1-1.5-1.5v-5A1.5 1.5 0 0 1 3.25 4zM4.5 6.75h.01M7 6.75h.01M9.5 6.75h.01M11.75 6.75h.01M5 9.5h6',
} as const

export type IconName = keyof typeof paths

/** A 16 px icon without a name: a word is next to it, or its button has a label. */
export function Icon({ name }: { name: IconName }): ReactNode {
  return (
    <svg className="argot-glyph icon" data-icon={name} viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
