import type { ReactNode } from 'react'
import { imageSize } from '../../bodies/image/find-image.ts'
import { ImageBody } from '../../bodies/image/image-body.tsx'

export interface FilePictureProps {
  url: string
  name: string
}

/** A picture file. If its data has its size, its place is reserved before it is drawn. */
export default function FilePicture({ url, name }: FilePictureProps): ReactNode {
  const size = url.startsWith('data:') ? imageSize(url) : undefined
  return <ImageBody image={{ url, ...size }} name={name} />
}
