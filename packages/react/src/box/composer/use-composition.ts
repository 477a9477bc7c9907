import { type KeyboardEvent, useRef } from 'react'

export interface Composition {
  start: () => void
  end: () => void
  /** The key belongs to an input method and must be ignored. */
  isOn: (event: KeyboardEvent) => boolean
}

/**
 * Whether an input method is composing a text: from `compositionstart` to the task after `compositionend`. Some
 * browsers send the Enter that ends a composition after its end, and `keyCode` 229 occurs without any composition, so
 * it decides nothing.
 */
export function useComposition(): Composition {
  const isComposing = useRef(false)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  return {
    start: () => {
      clearTimeout(timer.current)
      isComposing.current = true
    },
    end: () => {
      timer.current = setTimeout(() => {
        isComposing.current = false
      })
    },
    isOn: event => isComposing.current || event.nativeEvent.isComposing,
  }
}
