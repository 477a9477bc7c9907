import { createContext, type ReactNode, useContext, useMemo, useState } from 'react'

/** What a reader has opened and unfolded in the bodies of a call, kept where it outlives them. */
export interface KeptValues {
  get(name: string): unknown
  set(name: string, value: unknown): void
  /** Something was found in what is cut: all of it is shown unless a reader says otherwise. */
  isRevealed: boolean
}

/** Without one, each body keeps its own for as long as it is on the page. */
export const KeptContext: React.Context<KeptValues | undefined> = createContext<KeptValues | undefined>(undefined)

/** Bodies of the same call under names of their own. */
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

/** As `useState`, and there again when the body is. */
export function useKept<T>(name: string, initial: T): [T, (value: T) => void] {
  const keptState = useContext(KeptContext)
  const [own, setOwn] = useState(initial)
  if (keptState === undefined) return [own, setOwn]
  const value = keptState.get(name)
  return [value === undefined ? initial : (value as T), next => keptState.set(name, next)]
}

/** Whether all of a body is shown because something was found in it. */
export function useIsRevealed(): boolean {
  return useContext(KeptContext)?.isRevealed === true
}

/** The switch, among those that a draft of a call has, by which nothing of a section is cut. */
export function revealed(section: 'input' | 'output'): string {
  return `reveal.${section}`
}
