import { createContext, type ReactNode, useContext, useMemo, useState } from 'react'

export interface KeptValues {
  get(name: string): unknown
  set(name: string, value: unknown): void
  /** A search match is in the cut part: everything is shown unless a reader closes it. */
  isRevealed: boolean
}

/** Without a provider, each body stores its own state for as long as it is mounted. */
export const KeptContext: React.Context<KeptValues | undefined> = createContext<KeptValues | undefined>(undefined)

/** Gives bodies of the same call separate names. */
export function KeptScope({ name, children }: { name: string; children: ReactNode }): ReactNode {
  const outer = useContext(KeptContext)
  const inner = useMemo(
    () =>
      outer && {
        get: (one: string) => outer.get(`${name}.${one}`),
        set: (one: string, value: unknown) => outer.set(`${name}.${one}`, value),
        isRevealed: outer.isRevealed,
      },
    [outer, name],
  )
  return <KeptContext.Provider value={inner}>{children}</KeptContext.Provider>
}

/** Like `useState`, but the value survives a remount of the body. */
export function useKept<T>(name: string, initial: T): [T, (value: T) => void] {
  const keptState = useContext(KeptContext)
  const [own, setOwn] = useState(initial)
  if (keptState === undefined) return [own, setOwn]
  const value = keptState.get(name)
  return [value === undefined ? initial : (value as T), next => keptState.set(name, next)]
}

/** Whether all of a body is shown because a search matched in it. */
export function useIsRevealed(): boolean {
  return useContext(KeptContext)?.isRevealed === true
}

/** The key, in a call's draft, of the switch that shows a section uncut. */
export function revealed(section: 'input' | 'output'): string {
  return `reveal.${section}`
}
