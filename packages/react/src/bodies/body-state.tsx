import { createContext, type ReactNode, useContext, useMemo, useState } from 'react'

export interface BodyState {
  get(name: string): unknown
  set(name: string, value: unknown): void
  /** A search match is in the cut part: everything is shown unless a reader closes it. */
  isRevealed: boolean
}

/** Without a provider, each body has its own state until it is unmounted. */
export const BodyStateContext: React.Context<BodyState | undefined> = createContext<BodyState | undefined>(undefined)

/** Gives bodies of the same call separate names. */
export function BodyStateScope({ name, children }: { name: string; children: ReactNode }): ReactNode {
  const outer = useContext(BodyStateContext)
  const inner = useMemo(
    () =>
      outer && {
        get: (one: string) => outer.get(`${name}.${one}`),
        set: (one: string, value: unknown) => outer.set(`${name}.${one}`, value),
        isRevealed: outer.isRevealed,
      },
    [outer, name],
  )
  return <BodyStateContext.Provider value={inner}>{children}</BodyStateContext.Provider>
}

/** Like `useState`, but the value survives a remount of the body. */
export function useBodyState<T>(name: string, initial: T): [T, (value: T) => void] {
  const bodyState = useContext(BodyStateContext)
  const [own, setOwn] = useState(initial)
  if (bodyState === undefined) return [own, setOwn]
  const value = bodyState.get(name)
  return [value === undefined ? initial : (value as T), next => bodyState.set(name, next)]
}

/** Whether all of a body is shown because a search matched in it. */
export function useIsRevealed(): boolean {
  return useContext(BodyStateContext)?.isRevealed === true
}

/** The key, in a call's draft, of the switch that shows a section uncut. */
export function revealKey(section: 'input' | 'output'): string {
  return `reveal.${section}`
}
