import { type ReactNode, useRef, useState } from 'react'
import { usePartLocale } from '../../locale/part-locale.ts'
import type { OutputImage } from './find-image.ts'

const WIDEST = 480
const HIGHEST = 360

export interface ImageBodyProps {
  image: OutputImage
  name: string
}

/**
 * A picture in a box that reserves its place before it loads, in full size on a click. A picture from another origin
 * loads only when a reader asks for it.
 */
export function ImageBody({ image, name }: ImageBodyProps): ReactNode {
  const { body } = usePartLocale()
  const [isAllowed, setAllowed] = useState(false)
  const dialog = useRef<HTMLDialogElement>(null)
  const host = foreignHost(image.url)
  const size = fitSize(image)
  if (host !== undefined && !isAllowed) {
    return (
      // Markdown has pictures inside paragraphs, so this must not be a paragraph.
      <span className="argot-note" data-part="note">
        {body.foreignImage(host)}{' '}
        <button type="button" className="argot-link argot-under-line" onClick={() => setAllowed(true)}>
          {body.loadImage}
        </button>
      </span>
    )
  }
  return (
    <>
      <button
        type="button"
        className="argot-picture"
        data-part="picture"
        aria-label={body.fullSize(name)}
        onClick={() => dialog.current?.showModal()}
      >
        <img src={image.url} alt={name} {...size} decoding="async" />
      </button>
      <dialog ref={dialog} className="argot-full-size" aria-label={name}>
        <form method="dialog">
          <button type="submit" className="argot-button">
            {body.close}
          </button>
        </form>
        <img src={image.url} alt={name} loading="lazy" />
      </dialog>
    </>
  )
}

function fitSize({ width, height }: OutputImage): { width: number; height: number } | undefined {
  if (width === undefined || height === undefined) return { width: WIDEST, height: HIGHEST }
  const scale = Math.min(1, WIDEST / width, HIGHEST / height)
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

export function foreignHost(url: string): string | undefined {
  if (/^(?:data|blob):/i.test(url)) return undefined
  try {
    const { origin, host } = new URL(url, location.href)
    return origin === location.origin ? undefined : host
  } catch {
    return ''
  }
}
