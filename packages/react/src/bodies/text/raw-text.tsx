import { visibleText } from '@argot/core/stream'
import { type ReactNode, useMemo } from 'react'
import { usePartLocale } from '../../locale/part-locale.ts'
import { useBodyState, useIsRevealed } from '../body-state.tsx'
import { jsonText } from '../json/json-text.ts'
import { ScrollBox } from '../scroll-box.tsx'
import { ShowAll } from './show-all.tsx'
import { shortText, WholeText } from './text-body.tsx'

const LINES = 40

export interface AsTextButtonProps {
  isText: boolean
  onToggle: (isText: boolean) => void
}

/** The switch of a body that transforms its text: one press shows every character. */
export function AsTextButton({ isText, onToggle }: AsTextButtonProps): ReactNode {
  const { body } = usePartLocale()
  return (
    <button type="button" className="argot-link" aria-pressed={isText} onClick={() => onToggle(!isText)}>
      {body.asText}
    </button>
  )
}

/** Every character of a value. Hidden ones are escaped. */
export function RawText({ value, name }: { value: unknown; name: string }): ReactNode {
  const [isWhole, setWhole] = useBodyState('all', useIsRevealed())
  const text = useMemo(() => visibleText(jsonText(value)), [value])
  const short = useMemo(() => shortText(text, LINES), [text])
  const isCut = short.length < text.trimEnd().length
  return (
    <>
      <ScrollBox label={name}>
        <pre className="argot-wrap">{isWhole || !isCut ? <WholeText text={text} /> : short}</pre>
      </ScrollBox>
      {isCut && (
        <div className="argot-box-foot">
          <ShowAll text={text} isShown={isWhole} onToggle={setWhole} />
        </div>
      )}
    </>
  )
}
