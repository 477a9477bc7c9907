import { type ComponentType, memo, type ReactNode, useMemo } from 'react'
import { usePartLocale } from '../../locale/part-locale.ts'
import { BodyBox } from '../body-box.tsx'
import { useBodyState, useIsRevealed } from '../body-state.tsx'
import { OpenButton } from '../open-button.tsx'
import { ScrollBox } from '../scroll-box.tsx'
import { useSliced } from '../use-sliced.ts'
import { parseAnsi } from './ansi.ts'
import { countLines, firstLines, lastLines, withoutLastBreak } from './cut-text.ts'
import { KeepSelection } from './keep-selection.tsx'
import { AsTextButton, RawText } from './raw-text.tsx'
import { ShowAll } from './show-all.tsx'
import { textBlocks } from './text-blocks.ts'

const LINES_AT_AN_END = 10
const LINES_WHILE_RUNNING = 20
const LONGEST = 16_000

export interface TerminalBodyProps {
  text: string
  name?: string | undefined
  copyName?: string | undefined
  /** After the name: the program's exit status. */
  meta?: string | undefined
  /** The text's source; the text itself by default. "As text" shows every character of it. */
  raw?: unknown
  isRunning?: boolean | undefined
}

/** A program's output: its last 20 lines while it runs, the first and last 10 when done, and everything on request. */
export function TerminalBody(props: TerminalBodyProps): ReactNode {
  const { text, name, copyName, meta, raw = text, isRunning = false } = props
  const { body } = usePartLocale()
  const [all, setAll] = useBodyState('all', useIsRevealed())
  const cut = useMemo(() => cutTerminal(text, isRunning), [text, isRunning])
  const isCut = cut.hidden > 0
  const [isText, setText] = useBodyState('text', false)
  // Colours and overwritten lines are not in the visible text.
  const hasMore = useMemo(
    () => !isRunning && (raw !== text || /[\u001b\u009b\b]|\r(?!\n)/.test(text)),
    [isRunning, raw, text],
  )
  const title = name ?? body.output
  return (
    <BodyBox
      name={title}
      copy={() => text}
      copyName={copyName ?? body.output}
      tone="sunken"
      meta={meta}
      actions={
        <>
          {hasMore && <AsTextButton isText={isText} onToggle={setText} />}
          {isCut && <OpenButton source={() => ({ kind: 'terminal', name: title, text })} />}
        </>
      }
      foot={isCut && !(isText && hasMore) && <ShowAll text={text} isShown={all} onToggle={setAll} />}
    >
      {isText && hasMore ? (
        <RawText value={raw} name={title} />
      ) : (
        <ScrollBox label={title}>
          {text === '' ? (
            <p className="argot-quiet">{body.emptyText}</p>
          ) : (
            <pre>
              {all ? (
                <WholeTerminal text={text} />
              ) : (
                <>
                  <Ansi text={cut.head} />
                  {isCut && <span className="argot-cut">{body.hiddenLines(cut.hidden)}</span>}
                  <KeepSelection>
                    <Ansi text={cut.tail} />
                  </KeepSelection>
                </>
              )}
              {isRunning && <span className="argot-caret" />}
            </pre>
          )}
        </ScrollBox>
      )}
    </BodyBox>
  )
}

function cutTerminal(text: string, isRunning: boolean): { head: string; tail: string; hidden: number } {
  const count = countLines(text)
  if (isRunning) {
    const tail = lastLines(text, LINES_WHILE_RUNNING, LONGEST)
    return { head: '', tail, hidden: Math.max(0, count - LINES_WHILE_RUNNING) }
  }
  if (count <= 2 * LINES_AT_AN_END && text.length <= 2 * LONGEST)
    return { head: withoutLastBreak(text), tail: '', hidden: 0 }
  const head = firstLines(text, LINES_AT_AN_END, LONGEST)
  const tail = count > 2 * LINES_AT_AN_END ? lastLines(text, LINES_AT_AN_END, LONGEST) : ''
  return { head, tail, hidden: Math.max(1, count - (tail === '' ? countLines(head) : 2 * LINES_AT_AN_END)) }
}

/** Drawn in slices. */
export const WholeTerminal: ComponentType<{ text: string }> = memo(function WholeTerminal({
  text,
}: {
  text: string
}): ReactNode {
  const { items } = useSliced(text, () => textBlocks(withoutLastBreak(text)).values())
  return items.map((block, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of one text never move
    <span key={index} className="argot-block">
      <Ansi text={block} />
    </span>
  ))
})

export const Ansi: ComponentType<{ text: string }> = memo(function Ansi({ text }: { text: string }): ReactNode {
  return parseAnsi(text).map(({ text: content, classes }, index) =>
    classes.length === 0 ? (
      content
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never move
      <span key={index} className={classes.map(one => `argot-ansi-${one}`).join(' ')}>
        {content}
      </span>
    ),
  )
})
