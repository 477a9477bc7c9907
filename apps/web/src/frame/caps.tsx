import type { ReactNode } from 'react'

/** The key that commands are given with. */
export const control: string = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl'

/** Each key as a cap. Keys that are pressed together have spaces between them; a dot separates those that do different things. */
export function Caps({ keys }: { keys: string }): ReactNode {
  return keys.split(' ').map((key, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the keys of one row never move
    return key === '·' ? <span key={index}> · </span> : <kbd key={index}>{key}</kbd>
  })
}
