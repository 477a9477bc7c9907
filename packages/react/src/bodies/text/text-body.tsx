import { visibleText } from '@argot/core/stream'
import { type ComponentType, memo, type ReactNode, useMemo } from 'react'
import { usePartLocale } from '../../locale/part-locale.ts'
import { BodyBox } from '../body-box.tsx'
import { useBodyState, useIsRevealed } from '../body-state.tsx'
import { Highlight } from '../code/highlight.tsx'
import { OpenButton } from '../open-button.tsx'
import { ScrollBox } from '../scroll-box.tsx'
import { firstLines, LONG_PAYLOAD, withoutLastBreak } from './cut-text.ts'
import { ShowAll } from './show-all.tsx'
import { textBlocks } from './text-blocks.ts'

/** Without a reader's request, this many lines are shown, and this many characters of very long lines. */
export const SHORT_LINES = 20
const SHORT_CHARACTERS = 8000

export interface TextBodyProps {
  text: string
  name?: string | undefined
  copyName?: string | undefined
  meta?: string | undefined
  /** For approvals: no character is left out, and lines wrap. */
  isJudged?: boolean | undefined
  /** Lines shown before "Show all". */
  lines?: number | undefined
  /** Controlled: whether all of it is shown. */
  isWhole?: boolean | undefined
  onWhole?: ((isWhole: boolean) => void) | undefined
}

/** A text; its first 20 lines until a reader asks for all of it. */
export function TextBody(props: TextBodyProps): ReactNode {
  const { text, name, copyName, meta, isJudged = false, lines = SHORT_LINES, isWhole, onWhole } = props
  const { body } = usePartLocale()
  const [own, setOwn] = useBodyState('all', useIsRevealed())
  const all = isWhole ?? own
  const setAll = onWhole ?? setOwn
  const [wrap, setWrap] = useBodyState('wrap', isJudged)
  const visible = useMemo(() => visibleText(text), [text])
  const short = useMemo(() => shortText(visible, lines), [visible, lines])
  const isCut = short.length < withoutLastBreak(visible).length
  const whole = isJudged ? visible : withoutLastBreak(visible)
  const title = name ?? body.output
  return (
    <BodyBox
      name={title}
      meta={meta === undefined ? undefined : visibleText(meta)}
      copy={() => text}
      copyName={copyName}
      actions={
        text !== '' && (
          <>
            {isCut && <OpenButton source={() => ({ kind: 'text', name: title, text })} />}
            <button type="button" className="argot-link" aria-pressed={wrap} onClick={() => setWrap(!wrap)}>
              {body.wrap}
            </button>
          </>
        )
      }
      foot={isCut && <ShowAll text={text} isShown={all} onToggle={setAll} />}
    >
      <ScrollBox label={title}>
        {text === '' ? (
          <p className="argot-quiet">{body.emptyText}</p>
        ) : (
          <pre className={wrap ? 'argot-wrap' : undefined}>
            {all && visible.length > LONG_PAYLOAD ? (
              <WholeText text={visible} />
            ) : (
              <Highlight text={all || !isCut ? whole : short} path={name} />
            )}
          </pre>
        )}
      </ScrollBox>
    </BodyBox>
  )
}

export function shortText(text: string, lines: number): string {
  return firstLines(text, lines, SHORT_CHARACTERS)
}

/** A complete text. A very long one is drawn in blocks, which the browser lays out only while they are in view. */
export const WholeText: ComponentType<{ text: string }> = memo(function WholeText({
  text,
}: {
  text: string
}): ReactNode {
  const blocks = useMemo(() => (text.length > LONG_PAYLOAD ? textBlocks(text) : undefined), [text])
  if (blocks === undefined) return withoutLastBreak(text)
  // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of one text never move
  return blocks.map((block, index) => <Block key={index} text={block} />)
})

const Block = memo(function Block({ text }: { text: string }): ReactNode {
  return <span className="argot-block">{text}</span>
})
