import type { Api, ListedModel } from '@argot/server/api'
import { type ReactNode, useCallback, useEffect, useId, useState } from 'react'
import { useWords } from '../locale/words.ts'
import { api } from '../server/api.ts'
import type { DocumentDraft } from './compose-document.ts'

type Models = Api['listModels']['answer']

export interface ModelFieldsProps {
  draft: Pick<DocumentDraft, 'model' | 'syntax'>
  onChange: (part: Partial<Pick<DocumentDraft, 'model' | 'syntax'>>) => void
}

/** The model and the syntax, and a key field for a provider that has no key yet. */
export function ModelFields({ draft, onChange }: ModelFieldsProps): ReactNode {
  const { newDocument: words } = useWords()
  const id = useId()
  const [models, setModels] = useState<Models>()
  const load = useCallback(() => void api.models().then(setModels, () => {}), [])
  useEffect(load, [load])
  const chosen = models?.models.find(({ name }) => name === draft.model)
  return (
    <>
      <div className="field-pair">
        <div>
          <label htmlFor={`${id}-model`}>{words.model}</label>
          <select
            id={`${id}-model`}
            className="field"
            value={draft.model}
            onChange={event => onChange({ model: event.target.value })}
          >
            <option value="">{words.asServer}</option>
            {models?.models
              .toSorted((a, b) => Number(b.isReady) - Number(a.isReady))
              .map(({ name, isReady, needs }) => (
                <option key={name} value={name}>
                  {isReady ? name : `${name} (${needs ?? words.notReady})`}
                </option>
              ))}
          </select>
        </div>
        <div>
          <label htmlFor={`${id}-syntax`}>{words.syntax}</label>
          <select
            id={`${id}-syntax`}
            className="field"
            value={draft.syntax}
            onChange={event => onChange({ syntax: event.target.value })}
          >
            <option value="">{words.asServer}</option>
            {models?.syntaxes.map(name => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </div>
      </div>
      {chosen !== undefined && !chosen.isReady && chosen.takesKey === true && (
        <KeyField key={chosen.provider} model={chosen} isTaken={models?.takesKeys === true} onStored={load} />
      )}
    </>
  )
}

/** Sends a key to the server, and forgets it. */
function KeyField({
  model,
  isTaken,
  onStored,
}: {
  model: ListedModel
  isTaken: boolean
  onStored: () => void
}): ReactNode {
  const { newDocument: words } = useWords()
  const id = useId()
  const [key, setKey] = useState('')
  const [outcome, setOutcome] = useState('')
  const [isBusy, setBusy] = useState(false)
  const { provider } = model
  if (!isTaken) {
    return (
      <p className="meta">
        {words.keyElsewhere} <code>argot keys set {provider}</code>
      </p>
    )
  }
  const store = async (): Promise<void> => {
    if (key.trim() === '' || isBusy) return
    setBusy(true)
    setOutcome('')
    try {
      const { isUsed } = await api.storeKey(provider, key)
      setOutcome(isUsed ? words.stored : words.storedNotUsed)
      onStored()
    } catch (error) {
      setOutcome(error instanceof Error ? error.message : String(error))
    } finally {
      setKey('')
      setBusy(false)
    }
  }
  return (
    <div>
      <label htmlFor={id}>{words.keyFor(provider)}</label>
      <span className="field-with-end">
        <input
          id={id}
          type="password"
          className="field"
          value={key}
          maxLength={16_384}
          autoComplete="off"
          spellCheck={false}
          aria-describedby={`${id}-note`}
          onChange={event => setKey(event.target.value)}
          onKeyDown={event => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            void store()
          }}
        />
        <button
          type="button"
          className="button"
          aria-disabled={key.trim() === '' || isBusy}
          onClick={() => void store()}
        >
          {words.storeKey}
        </button>
      </span>
      <p className="meta" id={`${id}-note`} role="status">
        {outcome === '' ? words.keyNote : outcome}
      </p>
    </div>
  )
}
