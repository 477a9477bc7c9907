import type { ReactNode } from 'react'
import { foreignHost } from '../bodies/image/image-body.tsx'
import { imageOf } from '../bodies/image/image-of.ts'

/** A picture of 20 px in the place of a result; nothing for any other value. */
export default function Thumbnail({ value, name }: { value: unknown; name: string }): ReactNode {
  const image = imageOf(value)
  if (image === undefined || foreignHost(image.url) !== undefined) return null
  return <img className="argot-thumbnail" src={image.url} alt={name} width={20} height={20} />
}
