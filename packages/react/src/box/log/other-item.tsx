import type { MessagePart } from '@argot/core'
import { isCorrection, isDataPart, isSummary, visibleLine } from '@argot/core/stream/internal'
import { type ComponentType, memo, type ReactNode, useCallback, useSyncExternalStore } from 'react'
import { ComponentChunk, FromChunk } from '../../bodies/component-chunk.tsx'
import { safeUrl } from '../../bodies/markdown/safe-url.ts'
import { ReasoningLine } from '../../bodies/reasoning-line.tsx'
import { useChatStore } from '../../hooks/chat-context.ts'
import { usePart } from '../../hooks/use-message.ts'
import { useLocale } from '../../locale/frame-locale.ts'
import type { FilePictureProps } from '../composer/file-picture.tsx'

/** Reasoning, files, sources, Argot's messages to the model, and data. Data without a renderer is not shown. */
export const OtherItem: ComponentType<{ messageId: string; index: number }> = memo(function OtherItem({
  messageId,
  index,
}: {
  messageId: string
  index: number
}): ReactNode {
  const part = usePart(messageId, index)
  const record = useChatStore().conversation.ensureRecord(messageId)
  if (part === undefined || (isDataPart(part) && !isCorrection(part) && !isSummary(part))) return null
  return (
    <div data-argot-part={index}>
      {part.type === 'reasoning' ? (
        <Reasoning messageId={messageId} index={index} part={part} />
      ) : (
        <OtherPart part={part} number={sourceNumber(record.message().parts, index)} />
      )}
    </div>
  )
})

/** Open while it streams if the reader has opened one before; the store remembers what is open. */
function Reasoning({
  messageId,
  index,
  part,
}: {
  messageId: string
  index: number
  part: MessagePart & { type: 'reasoning' }
}): ReactNode {
  const { call } = useLocale()
  const { thoughts } = useChatStore().conversation
  const isStreaming = part.state === 'streaming'
  const get = useCallback(
    () => thoughts.isOpen(messageId, index, isStreaming),
    [thoughts, messageId, index, isStreaming],
  )
  const isOpen = useSyncExternalStore(thoughts.subscribe, get, get)
  const took = thoughts.getDuration(messageId, index)
  return (
    <ReasoningLine
      text={part.text}
      isStreaming={isStreaming}
      duration={took === undefined || took < 1000 ? undefined : call.duration(took)}
      open={isOpen}
      onOpenChange={open => thoughts.setOpen(messageId, index, open)}
    />
  )
}

/** The number that citation marks in an answer use for a source. */
function sourceNumber(parts: readonly MessagePart[], index: number): number {
  return parts.slice(0, index + 1).filter(({ type }) => type.startsWith('source-')).length
}

export function OtherPart({ part, number }: { part: MessagePart; number?: number }): ReactNode {
  const { box } = useLocale()
  if (isCorrection(part))
    return (
      <p className="argot-note" data-part="note">
        {box.correction(part.data.text)}
      </p>
    )
  if (isSummary(part)) {
    return (
      <details className="argot-note" data-part="note">
        <summary>{box.summary(part.data.replaces)}</summary>
        <p className="argot-summary">{part.data.text}</p>
      </details>
    )
  }
  switch (part.type) {
    case 'reasoning':
      return <ReasoningLine text={part.text} isStreaming={part.state === 'streaming'} />
    case 'file': {
      const name = visibleLine(part.filename ?? part.mediaType)
      if (part.mediaType.startsWith('image/')) {
        return <FromChunk chunk={filePicture} props={{ url: part.url, name }} />
      }
      return <Link url={part.url} name={box.file(name)} />
    }
    case 'source-url':
      return <Link url={part.url} name={visibleLine(part.title ?? part.url)} number={number} />
    case 'source-document':
      return (
        <p
          className="argot-note"
          data-part="note"
        >{`${box.source}${number === undefined ? '' : ` ${number}`}: ${visibleLine(part.title ?? part.filename ?? '')}`}</p>
      )
    default:
      return null
  }
}

export const filePicture: ComponentChunk<FilePictureProps> = new ComponentChunk(
  () => import('../composer/file-picture.tsx'),
)

function Link({ url, name, number }: { url: string; name: string; number?: number | undefined }): ReactNode {
  const safe = safeUrl(url)
  return (
    <p className="argot-note" data-part="note">
      {number !== undefined && `${number}. `}
      {safe === undefined ? (
        name
      ) : (
        <a href={safe} rel="noopener noreferrer" target="_blank">
          {name}
        </a>
      )}
    </p>
  )
}
