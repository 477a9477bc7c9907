import { type ComponentType, lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { useIsClient } from './use-is-client.ts'

/** A component in its own chunk, loaded when first needed. */
export class ComponentChunk<Props extends object> {
  readonly #load: () => Promise<{ default: ComponentType<Props> }>
  readonly Lazy: ComponentType<Props>
  loaded: ComponentType<Props> | undefined

  constructor(load: () => Promise<{ default: ComponentType<Props> }>) {
    this.#load = load
    this.Lazy = lazy(() => this.#loadOnce()) as unknown as ComponentType<Props>
  }

  /** Loads it ahead of time. If that fails, it is tried again when needed. */
  preload(): void {
    this.#loadOnce().catch(() => {})
  }

  async #loadOnce(): Promise<{ default: ComponentType<Props> }> {
    const module = await this.#load()
    this.loaded = module.default
    return module
  }
}

export interface FromChunkProps<Props extends object> {
  chunk: ComponentChunk<Props>
  props: Props
  fallback?: ReactNode
}

/**
 * A chunk's component: immediately if it is already loaded, otherwise after `fallback`. Both cases have the boundary,
 * so that a browser without the chunk can hydrate what a server with the chunk rendered. Until it has, the boundary
 * gets no update, not even in a transition: React 18 would report an error and render it again.
 */
export function FromChunk<Props extends object>({ chunk, props, fallback }: FromChunkProps<Props>): ReactNode {
  // The first choice stays: a different element type would remount.
  const [Part] = useState(() => chunk.loaded ?? chunk.Lazy)
  const [isReady, setReady] = useState(useIsClient())
  const boundary = (
    <Suspense fallback={fallback}>
      <Part {...props} />
      {isReady || <AfterHydration set={setReady} />}
    </Suspense>
  )
  const [first] = useState(boundary)
  return isReady ? boundary : first
}

function AfterHydration({ set }: { set: (isReady: true) => void }): ReactNode {
  useEffect(() => set(true))
  return null
}
