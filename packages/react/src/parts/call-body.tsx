import type { ToolInvocation } from '@argot/core'
import { getDeciderName } from '@argot/core/stream/internal'
import { type ReactNode, useId, useMemo } from 'react'
import { BodyStateContext, BodyStateScope, revealKey } from '../bodies/body-state.tsx'
import { FaultBody } from '../bodies/fault-body.tsx'
import { InlineCode } from '../bodies/inline-code.tsx'
import { JsonBody } from '../bodies/json/json-body.tsx'
import { jsonText } from '../bodies/json/json-text.ts'
import { originalName } from '../bodies/original-name.ts'
import { ErrorBody, isOutputFormat, OutputBody, type OutputFormat } from '../bodies/output-body.tsx'
import { useIsClient } from '../bodies/use-is-client.ts'
import type { ToolCallView } from '../hooks/use-tool-call.ts'
import { usePartLocale } from '../locale/part-locale.ts'
import { isEdited } from './approval/is-edited.ts'
import { Chevron } from './glyph.tsx'
import { GrowingInput } from './growing-input.tsx'
import { InputBody } from './input-body.tsx'

export interface CallBodyProps {
  view: ToolCallView
  newestLines?: number | undefined
}

/** An open card's content. The state alone decides the sections: an input, and an output once it is available. */
export default function CallBody({ view, newestLines }: CallBodyProps): ReactNode {
  const { card } = usePartLocale()
  const { invocation: call, description } = view
  const hasInput = call.input !== undefined || call.state === 'input-streaming'
  const hasOutput =
    call.state === 'output-available' || call.state === 'output-error' || getPartialOutput(call) !== undefined
  // An input that was there first has its heading from the beginning: a later heading would push it down.
  const isOnly = !hasInput
  if (description.state === 'broken') return <BrokenCall call={call} />
  return (
    <>
      <AnswerNote view={view} />
      <InterruptionNote view={view} />
      {hasInput && (
        <Section view={view} section="input" name={card.input} isOnly={isOnly}>
          {call.state === 'input-streaming' ? (
            <GrowingInput view={view} newestLines={newestLines} />
          ) : (
            <InputBody input={call.input} toolName={call.toolName} />
          )}
          <ModelInput view={view} />
        </Section>
      )}
      {hasOutput && (
        <Section view={view} section="output" name={card.output} isOnly={isOnly}>
          <Output view={view} />
        </Section>
      )}
    </>
  )
}

interface SectionProps {
  view: ToolCallView
  section: 'input' | 'output'
  name: string
  /** A card's only section needs no heading while it is open. */
  isOnly: boolean
  children: ReactNode
}

/** Input or output, each of which can be open or closed. A closed section is not mounted. */
function Section({ view, section, name, isOnly, children }: SectionProps): ReactNode {
  const id = useId()
  const isOpen = view.isOpen(section)
  const { kept, shown } = view.draft
  const isRevealed = shown?.[revealKey(section)] === true
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new value for each view would disturb a hydration below
  const bodyState = useMemo(
    () => ({
      get: (name: string) => kept?.[`${section}.${name}`],
      set: (name: string, value: unknown) => view.setDraft({ kept: { ...kept, [`${section}.${name}`]: value } }),
      isRevealed,
    }),
    [view.callKey, section, kept, isRevealed],
  )
  return (
    <div className="argot-section" data-section={section}>
      {(!isOnly || !isOpen) && (
        <button
          type="button"
          className="argot-section-name"
          data-part="section-toggle"
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={() => view.setOpen(!isOpen, section)}
        >
          {name}
          <Chevron />
        </button>
      )}
      {isOpen && (
        <div id={id} className="argot-section">
          <BodyStateContext.Provider value={bodyState}>{children}</BodyStateContext.Provider>
        </div>
      )}
    </div>
  )
}

function Output({ view }: { view: ToolCallView }): ReactNode {
  const { card } = usePartLocale()
  const { invocation: call, description } = view
  const name = originalName(description.subject)
  if (call.state === 'output-error') {
    const partialOutput = getPartialOutput(call)
    return (
      <>
        {description.state === 'stopped' ? (
          <p className="argot-note" data-part="note">
            {call.errorText}
          </p>
        ) : (
          <ErrorBody call={call} />
        )}
        {partialOutput !== undefined && (
          <BodyStateScope name="kept">
            <OutputBody
              value={partialOutput}
              name={card.partialOutput}
              format={getFormat(call)}
              toolName={call.toolName}
              input={call.input}
            />
          </BodyStateScope>
        )}
      </>
    )
  }
  return (
    <OutputBody
      value={call.output}
      details={call.details}
      name={name}
      format={getFormat(call)}
      isRunning={call.preliminary === true}
      toolName={call.toolName}
      input={call.input}
    />
  )
}

/** What a call had printed before it was stopped. */
function getPartialOutput(call: ToolInvocation): unknown {
  return call.state === 'output-error' ? call.output : undefined
}

/** The output format that the tool sets (`details.format`). */
function getFormat({ details }: ToolInvocation): OutputFormat | undefined {
  const format: unknown =
    typeof details === 'object' && details !== null && Object.hasOwn(details, 'format')
      ? (details as { format: unknown }).format
      : undefined
  return isOutputFormat(format) ? format : undefined
}

function AnswerNote({ view }: { view: ToolCallView }): ReactNode {
  const { card } = usePartLocale()
  const isClient = useIsClient()
  const { approval, endedAt } = view.invocation
  const isDenied = view.description.state === 'denied'
  if (isDenied ? approval?.approved !== false : approval?.approved !== true) return null
  const at = view.answeredAt ?? approval?.at ?? (isDenied ? endedAt : undefined)
  const time = at === undefined || !isClient ? undefined : card.clock(at)
  return (
    <p className="argot-note" data-part="note">
      {isDenied && approval?.reason !== undefined && approval.reason !== '' && <>“{approval.reason}” </>}
      {card.answeredBy(!isDenied, getDeciderName(view.invocation), time)}
    </p>
  )
}

/** What is not known about an interrupted call, and the risk of running it again. */
function InterruptionNote({ view }: { view: ToolCallView }): ReactNode {
  const { card } = usePartLocale()
  const { state, result } = view.description
  return state === 'interrupted' ? (
    <p className="argot-note" data-part="note">{`${result}. ${card.runAgainNote}`}</p>
  ) : null
}

/** The input as the model wrote it, if a person changed it. */
function ModelInput({ view }: { view: ToolCallView }): ReactNode {
  const { card } = usePartLocale()
  const { invocation: call, draft } = view
  if (!isEdited(call)) return null
  const isShown = draft.shown?.modelInput === true
  return (
    <>
      <button
        type="button"
        className="argot-link argot-start"
        aria-expanded={isShown}
        onClick={() => view.setDraft({ shown: { ...draft.shown, modelInput: !isShown } })}
      >
        {isShown ? card.hideModelInput : card.showModelInput}
      </button>
      {isShown && <JsonBody value={call.rawInput} name={card.modelWrote} />}
    </>
  )
}

/** The model's text if it is not a call, with the fault marked. */
function BrokenCall({ call }: { call: ToolInvocation }): ReactNode {
  const text = typeof call.rawInput === 'string' ? call.rawInput : jsonText(call.rawInput ?? call.input ?? '')
  return (
    <>
      <FaultBody text={text} line={faultLine(call, text)} />
      {call.errorText !== undefined && (
        <p className="argot-note argot-fail" data-part="note">
          <InlineCode text={call.errorText} />
        </p>
      )}
    </>
  )
}

/** The line of the fault: from the syntax's reader, or else from the error. */
export function faultLine(call: ToolInvocation, text: string): number | undefined {
  const offset = argotOffset(call.callProviderMetadata) ?? argotOffset(call.resultProviderMetadata)
  if (offset !== undefined && offset <= text.length) return text.slice(0, offset).split('\n').length
  const lineMatch = /\bline (\d{1,6})\b/.exec((call.errorText ?? '').slice(0, 400))
  return lineMatch === null ? undefined : Number(lineMatch[1])
}

function argotOffset(metadata: unknown): number | undefined {
  const own = (metadata as { argot?: { offset?: unknown } } | undefined)?.argot?.offset
  return typeof own === 'number' && Number.isInteger(own) && own >= 0 ? own : undefined
}
