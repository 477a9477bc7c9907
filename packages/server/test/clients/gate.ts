/** A place at which a test holds something up: it learns when the place is reached, and says when it goes on. */
export interface Gate {
  open: () => void
  reached: Promise<void>
  /** Called at the place. */
  wait: () => Promise<void>
}

export function gate(): Gate {
  let open = (): void => {}
  let reach = (): void => {}
  const opened = new Promise<void>(resolve => {
    open = resolve
  })
  const reached = new Promise<void>(resolve => {
    reach = resolve
  })
  return {
    open,
    reached,
    wait: () => {
      reach()
      return opened
    },
  }
}
