import { type ComponentType, type Context, createContext, type ReactNode } from 'react'

/** A component that draws what is in a fence. */
export interface FenceModule {
  default: ComponentType<{ source: string }>
}

/**
 * Draws the fences of a language. It gives what is drawn, or loads the component that draws: `() => import('./diagram.tsx')`,
 * which happens when the first such fence is complete.
 */
export type FenceRenderer = (source: string) => ReactNode | Promise<FenceModule>

/** Renderers by the language that a fence names. `math` is also for `$$` blocks. */
export type Fences = Readonly<Record<string, FenceRenderer>>

/** Who draws the fences of Markdown below it. */
export const FencesContext: Context<Fences | undefined> = createContext<Fences | undefined>(undefined)

/** The renderer for a language, which a model names: one of the map's own, and none of its prototype. */
export function findFence(fences: Fences | undefined, language: string | undefined): FenceRenderer | undefined {
  return fences !== undefined && language !== undefined && Object.hasOwn(fences, language)
    ? fences[language]
    : undefined
}
