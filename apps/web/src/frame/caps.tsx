import type { ReactNode } from 'react'

export const control: string = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl'

/** Each key as a cap. Spaces separate keys that are pressed together; a dot separates keys that do different things. */
export function Caps({ keys }: { keys: string }): ReactNode {
  return keys.split(' ').map((key, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the keys of one row never move
    return key === '·' ? <span key={index}> · </span> : <kbd key={index}>{key}</kbd>
  })
}
