import type { ReactNode } from 'react'
import { usePartLocale } from '../../locale/part-locale.ts'
import { BodyBox } from '../body-box.tsx'
import { useBodyState, useIsRevealed } from '../body-state.tsx'
import { jsonText } from '../json/json-text.ts'
import { AsTextButton, RawText } from '../text/raw-text.tsx'

export interface KindFrameProps {
  name?: string | undefined
  /** The original value. "As text" shows every character of it. */
  value: unknown
  meta?: ReactNode
  children: ReactNode
}

export function KindFrame({ name, value, meta, children }: KindFrameProps): ReactNode {
  const { body } = usePartLocale()
  const [isText, setText] = useBodyState('text', useIsRevealed())
  const title = name ?? body.result
  return (
    <BodyBox
      name={title}
      meta={meta}
      copy={() => jsonText(value)}
      copyName={body.output}
      actions={<AsTextButton isText={isText} onToggle={setText} />}
    >
      {isText ? <RawText value={value} name={title} /> : children}
    </BodyBox>
  )
}
