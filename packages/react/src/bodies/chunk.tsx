import { type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react'

/** A component that is loaded when it is first needed, as a chunk of its own. */
export class Chunk<Props extends object> {
  readonly #load: () => Promise<{ default: ComponentType<Props> }>
  /** Waits for the component where it is not there yet. */
  readonly Lazy: ComponentType<Props>
  /** The component, once it is there. */
  loaded: ComponentType<Props> | undefined

  constructor(load: () => Promise<{ default: ComponentType<Props> }>) {
    this.#load = load
    this.Lazy = lazy(() => this.#loadOnce()) as unknown as ComponentType<Props>
  }

  /** Loads it before it is needed. A failure is tried again when it is needed. */
  preload(): void {
    this.#loadOnce().catch(() => undefined)
  }

  async #loadOnce(): Promise<{ default: ComponentType<Props> }> {
    const module = await this.#load()
    this.loaded = module.default
    return module
  }
}

export interface FromChunkProps<Props extends object> {
  chunk: Chunk<Props>
  props: Props
  /** Shown until it is there. */
  fallback?: ReactNode
}

/**
 * What a chunk has: immediately if it was loaded before, else after `fallback`. The boundary is there in both cases, so that
 * what a server rendered, where everything is loaded, is taken over by a browser in which it is not.
 */
export function FromChunk<Props extends object>({ chunk, props, fallback }: FromChunkProps<Props>): ReactNode {
  // What was chosen at first stays: another type of element would begin again.
  const [Part] = useState(() => chunk.loaded ?? chunk.Lazy)
  return (
    <Suspense fallback={fallback}>
      <Part {...props} />
    </Suspense>
  )
}
