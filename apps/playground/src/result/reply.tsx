import { visibleText } from '@argot/core/stream'
import type { ReactNode } from 'react'
import type { CallReading, NearMiss, Reading } from '../reading/reading.ts'
import { partialInput, type ReadingView, type ViewSegment } from '../reading/view-at.ts'
import { placeWords, plural } from '../state/words.ts'
import { Input } from './input.tsx'
import { Item, type ItemPlace } from './item.tsx'

const LONGEST_EXCERPT = 600
const MOST_ITEMS = 200
/** Marks that open or close the code around an example, next to the text. */
const lastMarks = /^(?:`+|~{3,})(?=\s)|(?:\n\s*(?:(?:`{3,}|~{3,})[\w-]*|[>*+-])|`+)$/g

interface ReplyProps {
  text: string
  toolNames: ReadonlySet<string>
  reading: Reading
  view: ReadingView
  onShow: (place: ItemPlace) => void
}

/** The reply in the model's order: text, reasoning, calls, examples, near misses. */
export function Reply({ text, toolNames, reading, view, onShow }: ReplyProps): ReactNode {
  const visible = view.segments.filter(segment => isWorthShowing(segment, text))
  return (
    <ol className="reply">
      {visible.slice(0, MOST_ITEMS).map(segment => (
        <Piece key={segment.start} {...{ segment, text, toolNames, reading, view, onShow }} />
      ))}
      {visible.length > MOST_ITEMS && <li className="meta">and {plural(visible.length - MOST_ITEMS, 'more piece')}</li>}
    </ol>
  )
}

function isWorthShowing({ kind, start, end }: ViewSegment, text: string): boolean {
  return kind !== 'mark' && (kind !== 'text' || /[^\s`~>*+-]/.test(text.slice(start, end)))
}

interface PieceProps extends ReplyProps {
  segment: ViewSegment
}

function Piece({ segment, text, toolNames, reading, view, onShow }: PieceProps): ReactNode {
  const { kind, start, end, index = -1 } = segment
  const source = text.slice(start, end)
  const call = reading.calls[index]
  const example = reading.examples[index]
  if (kind === 'call' && call !== undefined) {
    const isUnknown = toolNames.size > 0 && !toolNames.has(call.toolName)
    return <Call call={call} isUnknown={isUnknown} onShow={onShow} />
  }
  if (kind === 'writing' && call !== undefined) {
    return (
      <Item
        kind="writing"
        icon="pen"
        title={<ToolName name={call.toolName} />}
        meta="being written"
        place={segment}
        onShow={onShow}
      >
        <Input input={partialInput(reading, call, view.cut)} isPartial />
      </Item>
    )
  }
  if (kind === 'example' && example !== undefined) {
    return (
      <Item
        kind="example"
        icon="shield"
        title={
          <>
            Example of <ToolName name={example.toolName} />
          </>
        }
        meta="never run"
        place={example}
        onShow={onShow}
      >
        <p className="why">{inCode(placeWords[example.place])}</p>
        <Excerpt source={source} />
      </Item>
    )
  }
  if (kind === 'held') {
    return (
      <Item kind="held" icon="thought" title="Held back" place={segment} onShow={onShow}>
        <p className="why">
          {plural(end - start, 'character')} held back until it is clear whether a call begins here.
        </p>
      </Item>
    )
  }
  const misses = reading.misses.filter(({ offset }) => offset >= start && offset < end)
  const isReasoning = kind === 'reasoning'
  return (
    <Item
      kind={kind}
      icon={isReasoning ? 'thought' : 'lines'}
      title={isReasoning ? 'Reasoning' : 'Text'}
      place={segment}
      onShow={onShow}
    >
      <Excerpt source={source} />
      {misses.map(miss => (
        <Miss key={miss.offset} miss={miss} onShow={onShow} />
      ))}
    </Item>
  )
}

interface CallProps extends Pick<ReplyProps, 'onShow'> {
  call: CallReading
  /** It names a tool that is not in the list. */
  isUnknown: boolean
}

function Call({ call, isUnknown, onShow }: CallProps): ReactNode {
  const { toolName, failure, repaired, dialect, input } = call
  return (
    <Item
      kind={failure === undefined ? 'call' : 'failed'}
      icon={failure === undefined ? 'check' : 'cross'}
      title={<ToolName name={toolName} />}
      meta={failure === undefined ? dialect : 'failed'}
      place={call}
      onShow={onShow}
    >
      {failure === undefined ? <Input input={input} /> : <Failure {...failure} />}
      {isUnknown && failure === undefined && (
        <p className="why">This tool is not in the list. A loop would refuse the call.</p>
      )}
      {repaired !== undefined && <p className="why">Repaired: {repaired.join(', ').replaceAll('-', ' ')}.</p>}
    </Item>
  )
}

function Failure({ code, message }: { code: string; message: string }): ReactNode {
  const [first = '', ...rest] = visibleText(message).split(
    / (?=Write the call like this:|The reply was cut off|There is no tool)/,
  )
  return (
    <div className="failure">
      <p>
        {inCode(first)} <code className="code">{code}</code>
      </p>
      {rest.length > 0 && <Cure text={rest.join(' ')} />}
    </div>
  )
}

/** The instruction that the model receives: a sentence, and often a corrected call. */
function Cure({ text }: { text: string }): ReactNode {
  const end = text.indexOf('\n')
  if (end < 0) return <p className="cure">{inCode(text)}</p>
  return (
    <>
      <p className="cure">{inCode(text.slice(0, end))}</p>
      <pre className="excerpt">{text.slice(end + 1)}</pre>
    </>
  )
}

function Miss({ miss, onShow }: { miss: NearMiss; onShow: (place: ItemPlace) => void }): ReactNode {
  const place = { start: miss.offset, end: miss.offset + miss.toolName.length }
  return (
    <div className="miss">
      <p>
        {inCode(miss.message)} <code className="code">{miss.code}</code>
      </p>
      <p className="cure">{inCode(miss.cure)}</p>
      <button type="button" className="place" onClick={() => onShow(place)}>
        Show it in the text
      </button>
    </div>
  )
}

function ToolName({ name }: { name: string }): ReactNode {
  return <code className="tool-name">{visibleText(name)}</code>
}

function Excerpt({ source }: { source: string }): ReactNode {
  const text = source.trim().replace(lastMarks, '').trim()
  const excerpt = visibleText(text.slice(0, LONGEST_EXCERPT))
  return <pre className="excerpt">{text.length > LONGEST_EXCERPT ? `${excerpt}…` : excerpt}</pre>
}

function inCode(text: string): ReactNode {
  return text.split(/`([^`]+)`/).map((piece, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a sentence have no other name
    index % 2 === 1 ? <code key={index}>{visibleText(piece)}</code> : piece,
  )
}
