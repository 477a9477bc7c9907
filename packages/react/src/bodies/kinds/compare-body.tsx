import { type ReactNode, useRef } from 'react'
import { usePartLocale } from '../../locale/part-locale.ts'
import { useBodyState } from '../body-state.tsx'
import type { OutputImage } from '../image/find-image.ts'
import { foreignHost, ImageBody } from '../image/image-body.tsx'

export interface CompareBodyProps {
  before: OutputImage
  after: OutputImage
  name?: string | undefined
}

export default function CompareBody({ before, after, name }: CompareBodyProps): ReactNode {
  const { body } = usePartLocale()
  const [isApart, setApart] = useBodyState('apart', false)
  const stage = useRef<HTMLDivElement>(null)
  const slider = useRef<HTMLInputElement>(null)
  // Pictures from other origins each load when a reader asks for them.
  const isForeign = foreignHost(before.url) !== undefined || foreignHost(after.url) !== undefined
  const { width = 480, height = 360 } = before
  const scale = Math.min(1, 480 / width, 360 / height)
  const size = { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
  if (isForeign || isApart) {
    return (
      <div className="argot-compare" data-part="compare">
        <div className="argot-compare-apart">
          {[before, after].map((image, index) => (
            <figure key={image === before ? 'before' : 'after'}>
              <figcaption>{index === 0 ? body.before : body.after}</figcaption>
              <ImageBody image={image} name={index === 0 ? body.before : body.after} />
            </figure>
          ))}
        </div>
        {!isForeign && <Switch key="switch" isApart onPress={() => setApart(false)} />}
      </div>
    )
  }
  const show = (value: string): void => {
    stage.current?.style.setProperty('--argot-at', `${value}%`)
    slider.current?.setAttribute('aria-valuetext', body.compared(Number(value)))
  }
  return (
    <div className="argot-compare" data-part="compare">
      <div ref={stage} className="argot-compare-stage">
        <img src={after.url} alt={body.after} {...size} decoding="async" />
        <img className="argot-compare-before" src={before.url} alt={body.before} {...size} decoding="async" />
        <span className="argot-compare-edge" aria-hidden="true" />
      </div>
      <div className="argot-compare-bar">
        <span aria-hidden="true">{body.before}</span>
        <input
          ref={slider}
          type="range"
          min="0"
          max="100"
          defaultValue="50"
          aria-label={body.compare(name)}
          aria-valuetext={body.compared(50)}
          onChange={event => show(event.target.value)}
        />
        <span aria-hidden="true">{body.after}</span>
      </div>
      <Switch key="switch" isApart={false} onPress={() => setApart(true)} />
    </div>
  )
}

function Switch({ isApart, onPress }: { isApart: boolean; onPress: () => void }): ReactNode {
  const { body } = usePartLocale()
  return (
    <button type="button" className="argot-link argot-start" aria-pressed={isApart} onClick={onPress}>
      {body.sideBySide}
    </button>
  )
}
