import type { JsonSchema } from '@argot/core'
import { visibleText } from '@argot/core/stream'
import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import { describeKey } from '../../bodies/json/pairs-body.tsx'
import type { ToolCallView } from '../../hooks/use-tool-call.ts'
import { usePartLocale } from '../../locale/part-locale.ts'
import type { CallDraft } from '../../store/call-ui.ts'
import { type EditedTexts, editedInput, fieldName, type InputField, inputFields, textFor } from './input-fields.ts'

/** A longer text of the model is cut below its field. */
const SHORT_ORIGINAL = 80

export interface EditInputProps {
  view: ToolCallView
  schema: JsonSchema | undefined
  /** The fields were closed without an answer. */
  onLeave: () => void
}

/** The input as fields, by its schema. Unfinished edits stay in the call's draft. */
export function EditInput({ view, schema, onLeave }: EditInputProps): ReactNode {
  const { approval } = usePartLocale()
  const { invocation: call, draft } = view
  const form = useRef<HTMLFormElement>(null)
  const fields = useMemo(() => inputFields(call.input, schema), [call.input, schema])
  const texts = readTexts(draft.edited)
  const edited = editedInput(call.input, fields, texts)
  const changed = fields.filter(field => textFor(field, texts) !== field.original)
  useEffect(() => form.current?.querySelector<HTMLElement>('.argot-field, input')?.focus(), [])
  const set = (field: InputField, text: string) => view.setDraft({ edited: { ...texts, [fieldName(field)]: text } })
  const leave = (draft: CallDraft) => {
    onLeave()
    view.setDraft(draft)
  }
  return (
    <form
      ref={form}
      className="argot-section"
      onSubmit={event => {
        event.preventDefault()
        if (edited.invalid !== undefined) return
        view.answer?.(changed.length === 0 ? { approved: true } : { approved: true, input: edited.input })
      }}
      onKeyDown={event => {
        // A key in a field approves nothing: the button applies the typed text.
        if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault()
        if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
        event.stopPropagation()
        leave({ editing: false })
      }}
    >
      <div className="argot-form" data-part="form">
        {fields.map((field, index) => (
          <Field
            key={fieldName(field)}
            field={field}
            text={textFor(field, texts)}
            width={getWidth(fields, index)}
            onChange={text => set(field, text)}
          />
        ))}
      </div>
      {changed.map(field => (
        <p key={fieldName(field)} className="argot-note" data-part="note">
          {approval.modelWrote} <code>{visibleText(short(field.original))}</code>.{' '}
          <button type="button" className="argot-link argot-under-line" onClick={() => set(field, field.original)}>
            {approval.putBack}
          </button>
        </p>
      ))}
      {fields
        .filter(field => hasHidden(textFor(field, texts)))
        .map(field => (
          <p key={fieldName(field)} className="argot-note" data-part="note">
            {approval.hasHidden(visibleText(describeKey(field.label)))}{' '}
            <code>{visibleText(textFor(field, texts))}</code>
          </p>
        ))}
      {edited.invalid !== undefined && (
        <p className="argot-note argot-fail" data-part="note" role="alert">
          {approval.invalidField(visibleText(edited.invalid))}
        </p>
      )}
      <div className="argot-acts" data-part="actions">
        <button type="submit" className="argot-button" data-kind="primary" aria-disabled={edited.invalid !== undefined}>
          {changed.length === 0 ? approval.approve : approval.approveEdited}
        </button>
        <button
          type="button"
          className="argot-button"
          data-kind="plain"
          onClick={() => leave({ editing: false, edited: undefined })}
        >
          {approval.cancel}
        </button>
      </div>
    </form>
  )
}

interface FieldProps {
  field: InputField
  text: string
  width: 'wide' | 'narrow' | undefined
  onChange: (text: string) => void
}

function Field({ field, text, width, onChange }: FieldProps): ReactNode {
  const { approval } = usePartLocale()
  const isChanged = text !== field.original
  const label = visibleText(describeKey(field.label))
  const fieldLabel = isChanged ? approval.editedField(label) : label
  const marks = {
    'data-changed': isChanged ? '' : undefined,
    'data-wide': width === 'wide' ? '' : undefined,
    'data-narrow': width === 'narrow' ? '' : undefined,
  }
  const common = { className: 'argot-field', value: text, dir: 'auto', 'aria-description': field.description }
  if (field.kind === 'boolean') {
    return (
      <label {...marks} data-check="">
        <input
          type="checkbox"
          checked={text === 'true'}
          aria-description={field.description}
          onChange={event => onChange(String(event.target.checked))}
        />
        <span>{fieldLabel}</span>
      </label>
    )
  }
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: each branch has one
    <label {...marks}>
      <span>{fieldLabel}</span>
      {field.kind === 'choice' ? (
        <select {...common} onChange={event => onChange(event.target.value)}>
          {[...new Set([text, ...field.choices])].map(choice => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : field.kind === 'text' ? (
        <input {...common} type="text" onChange={event => onChange(event.target.value)} />
      ) : field.kind === 'number' ? (
        <input
          {...common}
          type="text"
          inputMode="decimal"
          data-mono=""
          onChange={event => onChange(event.target.value)}
        />
      ) : (
        <textarea
          {...common}
          rows={1}
          data-mono=""
          spellCheck={false}
          onChange={event => onChange(event.target.value)}
        />
      )}
    </label>
  )
}

/** A number next to a text shares its line: three quarters and one. */
function getWidth(fields: readonly InputField[], index: number): FieldProps['width'] {
  const isNumber = (at: number) => fields[at]?.kind === 'number'
  const isText = (at: number) => fields[at]?.kind === 'text' || fields[at]?.kind === 'long'
  if (isNumber(index) && isText(index - 1)) return 'narrow'
  return isText(index) && isNumber(index + 1) ? 'wide' : undefined
}

/** A field shows its text verbatim, so hidden characters are reported below it. */
function hasHidden(text: string): boolean {
  return visibleText(text) !== text
}

function readTexts(edited: unknown): EditedTexts {
  return typeof edited === 'object' && edited !== null ? (edited as EditedTexts) : {}
}

function short(text: string): string {
  return text.length > SHORT_ORIGINAL ? `${text.slice(0, SHORT_ORIGINAL).toWellFormed()}…` : text || '""'
}
