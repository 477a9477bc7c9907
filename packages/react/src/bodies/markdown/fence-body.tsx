import { type ReactNode, useEffect, useState } from 'react'
import { PartBoundary } from '../part-boundary.tsx'
import { AsTextButton } from '../text/raw-text.tsx'
import type { FenceModule, FenceRenderer } from './fences.ts'

export interface FenceBodyProps {
  source: string
  language: string
  render: FenceRenderer
  /** The fence as code: until it is drawn, if drawing fails, and for readers who want to see it. */
  code: ReactNode
}

export default function FenceBody(props: FenceBodyProps): ReactNode {
  return (
    <PartBoundary key={props.source} fallback={props.code}>
      <Drawing {...props} />
    </PartBoundary>
  )
}

type Component = FenceModule['default']

/** A component loaded for one fence is ready for the next. */
const loaded = new WeakMap<FenceRenderer, Component>()

function Drawing({ source, language, render, code }: FenceBodyProps): ReactNode {
  const [isText, setText] = useState(false)
  const [Loaded, setLoaded] = useState<Component | undefined>(() => loaded.get(render))
  const [failure, setFailure] = useState<{ error: unknown } | undefined>(undefined)
  const result = Loaded === undefined ? render(source) : <Loaded source={source} />
  const promise = isPromise(result) ? result : undefined
  // If React discards the render, nothing awaits the promise.
  promise?.catch(() => undefined)
  useEffect(() => {
    if (promise === undefined) return
    let isGone = false
    promise.then(
      module => {
        loaded.set(render, module.default)
        if (!isGone) setLoaded(() => module.default)
      },
      (error: unknown) => {
        if (!isGone) setFailure({ error })
      },
    )
    return () => {
      isGone = true
    }
  }, [promise, render])
  if (failure !== undefined) throw failure.error
  if (promise !== undefined) return code
  return (
    <div className="argot-fence" data-part="drawing">
      <div className="argot-fence-head">
        <span>{language}</span>
        <AsTextButton isText={isText} onToggle={setText} />
      </div>
      {isText ? code : <div className="argot-fence-drawing">{result as ReactNode}</div>}
    </div>
  )
}

function isPromise(value: unknown): value is Promise<FenceModule> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
}
