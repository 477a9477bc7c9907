import { type ComponentType, type Context, createContext, type ReactNode } from 'react'

/** A component that draws a fence's content. */
export interface FenceModule {
  default: ComponentType<{ source: string }>
}

/**
 * Draws the fences of a language. It returns a node, or loads the component that draws it: `() =>
 * import('./diagram.tsx')`. Loading starts when the first such fence is complete.
 */
export type FenceRenderer = (source: string) => ReactNode | Promise<FenceModule>

/** Renderers by fence language. `math` also applies to `$$` blocks. */
export type Fences = Readonly<Record<string, FenceRenderer>>

export const FencesContext: Context<Fences | undefined> = createContext<Fences | undefined>(undefined)

/** A language's renderer. The model chooses the language, so only the map's own keys apply, never its prototype's. */
export function findFence(fences: Fences | undefined, language: string | undefined): FenceRenderer | undefined {
  return fences !== undefined && language !== undefined && Object.hasOwn(fences, language)
    ? fences[language]
    : undefined
}
