import { visibleText } from '@argot/core/stream'
import { type ReactNode, useId } from 'react'
import type { ToolCallView } from '../../hooks/use-tool-call.ts'
import { usePartLocale } from '../../locale/part-locale.ts'
import { Glyph } from '../glyph.tsx'

interface Option {
  label: string
  description?: string | undefined
}

/** A question from the model: its options as buttons, and a line for any other answer. */
export default function AskUser({ view }: { view: ToolCallView }): ReactNode {
  const { askUser } = usePartLocale()
  const titleId = useId()
  const { invocation, draft } = view
  const { question, options } = readQuestion(invocation.input)
  const text = typeof draft.reason === 'string' ? draft.reason : ''
  return (
    <div className="argot-hang">
      <Glyph stage="asking" />
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot hold headings and boxes */}
      <div className="argot-approval" data-part="approval" role="group" aria-labelledby={titleId}>
        <div>
          <p className="argot-why" data-part="why">
            {askUser.needsAnswer}
          </p>
          <p className="argot-title" data-part="title" id={titleId}>
            {visibleText(question)}
          </p>
        </div>
        {options.length > 0 && (
          <div className="argot-options">
            {options.map(({ label, description }) => (
              <button
                key={label}
                type="button"
                className="argot-button argot-option"
                data-part="option"
                onClick={() => view.addOutput?.(label)}
              >
                <span dir="auto">{visibleText(label)}</span>
                {description !== undefined && (
                  <span className="argot-dim" dir="auto">
                    {visibleText(description)}
                  </span>
                )}
              </button>
            ))}
          </div>
        )}
        <form
          className="argot-acts"
          data-part="actions"
          onSubmit={event => {
            event.preventDefault()
            if (text.trim() !== '') view.addOutput?.(text.trim())
          }}
        >
          <input
            className="argot-field argot-grow"
            data-part="field"
            type="text"
            dir="auto"
            aria-label={options.length > 0 ? askUser.other : askUser.answer}
            placeholder={options.length > 0 ? askUser.other : askUser.answer}
            value={text}
            onChange={event => view.setDraft({ reason: event.target.value })}
          />
          <button type="submit" className="argot-button" data-kind="primary" aria-disabled={text.trim() === ''}>
            {askUser.send}
          </button>
        </form>
      </div>
    </div>
  )
}

/** `{ question, options? }`, where an option is a text or has a `label`. Anything else is shown as a question. */
function readQuestion(input: unknown): { question: string; options: Option[] } {
  if (typeof input === 'string') return { question: input, options: [] }
  if (typeof input !== 'object' || input === null) return { question: '?', options: [] }
  const fields = input as Record<string, unknown>
  const question = ['question', 'prompt', 'text', 'message']
    .map(key => (Object.hasOwn(fields, key) ? fields[key] : undefined))
    .find(value => typeof value === 'string')
  const list = ['options', 'choices']
    .map(key => (Object.hasOwn(fields, key) ? fields[key] : undefined))
    .find(value => Array.isArray(value))
  const options = (Array.isArray(list) ? list : []).map(toOption).filter(option => option !== undefined)
  const unique = new Map(options.map(option => [option.label, option]))
  return { question: (question as string | undefined) ?? JSON.stringify(input), options: [...unique.values()] }
}

function toOption(value: unknown): Option | undefined {
  if (typeof value === 'string') return { label: value }
  if (typeof value !== 'object' || value === null) return undefined
  const { label, value: own, description } = value as Record<string, unknown>
  const name = typeof label === 'string' ? label : own
  if (typeof name !== 'string') return undefined
  return { label: name, description: typeof description === 'string' ? description : undefined }
}
