import type { ReactNode } from 'react'
import { findImage } from '../bodies/image/find-image.ts'
import { foreignHost } from '../bodies/image/image-body.tsx'

export interface ThumbnailProps {
  value: unknown
  /** In words; shown for an output without a picture. */
  result: string | undefined
}

/** A 20 px picture in place of a result: an output's first picture replaces the words. */
export default function Thumbnail({ value, result }: ThumbnailProps): ReactNode {
  const image = findImage(value)
  if (image === undefined || foreignHost(image.url) !== undefined) return result
  return <img className="argot-thumbnail" src={image.url} alt={result ?? ''} width={20} height={20} />
}
