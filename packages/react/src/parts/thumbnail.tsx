import type { ReactNode } from 'react'
import { findImage } from '../bodies/image/find-image.ts'
import { foreignHost } from '../bodies/image/image-body.tsx'
import { useBrowserLayoutEffect } from '../bodies/use-browser-layout-effect.ts'

export interface ThumbnailProps {
  value: unknown
  /** In words; shown for an output without a picture. */
  result: string | undefined
  /** Called with true if the result is shown in words. */
  onWords: (hasWords: boolean) => void
}

/** A 20 px picture in place of a result: an output's first picture replaces the words. */
export default function Thumbnail({ value, result, onWords }: ThumbnailProps): ReactNode {
  const image = findImage(value)
  const picture = image === undefined || foreignHost(image.url) !== undefined ? undefined : image.url
  const hasWords = picture === undefined
  useBrowserLayoutEffect(() => onWords(hasWords), [onWords, hasWords])
  if (hasWords) return result
  return <img className="argot-thumbnail" src={picture} alt={result ?? ''} width={20} height={20} />
}
