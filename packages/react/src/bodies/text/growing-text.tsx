import { type ReactNode, useRef, useState } from 'react'
import { usePartLocale } from '../../locale/part-locale.ts'
import { BodyBox } from '../body-box.tsx'
import { GrowingPaint } from '../code/growing-paint.ts'
import { ScrollBox } from '../scroll-box.tsx'
import { useBrowserLayoutEffect } from '../use-browser-layout-effect.ts'

export interface GrowingTextProps {
  text: { subscribe: (listener: () => void) => () => void; get: () => string | undefined }
  name?: string | undefined
  /** Shows only this many of the newest lines, until a reader asks for everything. */
  newestLines?: number | undefined
}

/**
 * A text that a model is writing, with a caret: all of it, or its newest lines in a box that only grows. It is written
 * into the page without rendering.
 */
export function GrowingText({ text, name, newestLines }: GrowingTextProps): ReactNode {
  const { body } = usePartLocale()
  const host = useRef<HTMLSpanElement>(null)
  const counter = useRef<HTMLSpanElement>(null)
  const [isWhole, setWhole] = useState(false)
  const [isCut, setCut] = useState(false)
  const newest = isWhole ? undefined : newestLines
  const title = name ?? body.input
  useBrowserLayoutEffect(() => {
    const paint = new GrowingPaint(host.current!, newest, hidden => `⋯ ${body.bytes(hidden)}`)
    const draw = (): void => {
      paint.draw(text.get() ?? '')
      const line = body.line(paint.line)
      if (counter.current !== null && counter.current.textContent !== line) counter.current.textContent = line
      if (paint.isCut) setCut(true)
    }
    draw()
    const leave = text.subscribe(draw)
    return () => {
      leave()
      paint.clear()
    }
  }, [text, newest, body])
  return (
    <BodyBox
      name={title}
      actions={<span ref={counter} className="argot-num" />}
      foot={
        isCut && (
          <button type="button" className="argot-link" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? body.showNewest : body.showSoFar}
          </button>
        )
      }
    >
      <ScrollBox label={title}>
        <pre className={newest === undefined ? undefined : 'argot-newest'}>
          <span ref={host} />
          <span className="argot-caret" />
        </pre>
      </ScrollBox>
    </BodyBox>
  )
}
