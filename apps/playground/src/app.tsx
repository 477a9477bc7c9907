import { type ReactNode, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { Header } from './header.tsx'
import { viewAt } from './reading/view-at.ts'
import type { ItemPlace } from './result/item.tsx'
import { Result } from './result/result.tsx'
import { Source } from './source/source.tsx'
import type { Shared } from './state/fragment.ts'
import { LONGEST_TEXT } from './state/limits.ts'
import { parseTools } from './state/parse-tools.ts'
import { sampleReplies, sampleTools } from './state/samples.ts'
import { useReading } from './state/use-reading.ts'

const [firstSample] = sampleReplies

export function App({ shared }: { shared: Shared | undefined }): ReactNode {
  const [text, setText] = useState(shared?.text.slice(0, LONGEST_TEXT) ?? firstSample?.text ?? '')
  const [syntax, setSyntax] = useState(shared?.syntax ?? 'auto')
  const [toolsJson, setToolsJson] = useState(shared === undefined ? sampleTools : (shared.tools ?? ''))
  const [target, setTarget] = useState('caret')
  // Undefined means that the whole reply has arrived.
  const [sliderCut, setSliderCut] = useState<number>()
  const field = useRef<HTMLTextAreaElement>(null)

  const parsed = useMemo(() => parseTools(toolsJson), [toolsJson])
  const tools = useLastDefined(parsed.tools)
  const request = useMemo(() => ({ text, syntax, tools }), [text, syntax, tools])
  const { answers, isBusy, failure } = useReading(request, target)
  const cut = Math.min(sliderCut ?? text.length, text.length)
  const deferredCut = useDeferredValue(cut)
  const isCurrent = answers?.request.text === text
  const view = useMemo(() => {
    if (answers === undefined) return undefined
    return viewAt(answers.reading, isCurrent && sliderCut !== undefined ? deferredCut : answers.reading.length)
  }, [answers, isCurrent, sliderCut, deferredCut])

  const write = useCallback((next: string) => {
    setText(next)
    setSliderCut(undefined)
  }, [])
  const onCut = useCallback((next: number) => setSliderCut(next), [])
  const onShow = useCallback(({ start, end }: ItemPlace) => showInText(field.current, start, end), [])

  return (
    <div className="argot play-page">
      <Header
        text={text}
        syntax={syntax}
        names={answers?.names ?? []}
        toolsJson={toolsJson}
        onSyntax={setSyntax}
        onSample={sample => {
          write(sample.text)
          setSyntax(sample.syntax ?? 'auto')
          setToolsJson(sampleTools)
        }}
      />
      <main className="panes">
        <Source
          field={field}
          text={text}
          answers={answers}
          view={view}
          cut={cut}
          toolsJson={toolsJson}
          parsed={parsed}
          onText={write}
          onTools={setToolsJson}
          onCut={onCut}
        />
        <Result
          answers={answers}
          view={view}
          isBusy={isBusy}
          failure={failure}
          syntax={syntax}
          target={target}
          onSyntax={setSyntax}
          onTarget={setTarget}
          onShow={onShow}
        />
      </main>
    </div>
  )
}

/** If the tools can't be parsed, the previous ones stay. */
function useLastDefined<T>(value: T[] | undefined): T[] {
  const previous = useRef<T[]>([])
  useEffect(() => {
    if (value !== undefined) previous.current = value
  }, [value])
  return value ?? previous.current
}

function showInText(field: HTMLTextAreaElement | null, start: number, end: number): void {
  if (field === null) return
  field.focus({ preventScroll: true })
  field.setSelectionRange(start, end)
  const share = field.value.slice(0, start).split('\n').length / Math.max(1, field.value.split('\n').length)
  const frame = field.closest('.editor')
  const scroller = frame?.hasAttribute('data-plain') === true ? field : frame
  scroller?.scrollTo({ top: share * scroller.scrollHeight - scroller.clientHeight / 2 })
  frame?.scrollIntoView({ block: 'nearest' })
}
