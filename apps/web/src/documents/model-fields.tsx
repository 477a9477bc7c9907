import type { Api, ListedModel } from '@argot/server/api'
import { type ReactNode, useCallback, useEffect, useId, useState } from 'react'
import { api } from '../server/api.ts'
import type { DocumentDraft } from './compose-document.ts'

type Models = Api['listModels']['answer']

export interface ModelFieldsProps {
  draft: Pick<DocumentDraft, 'model' | 'syntax'>
  onChange: (part: Partial<Pick<DocumentDraft, 'model' | 'syntax'>>) => void
}

/** The model and the syntax, and the key of a provider that has none yet. */
export function ModelFields({ draft, onChange }: ModelFieldsProps): ReactNode {
  const id = useId()
  const [models, setModels] = useState<Models>()
  const load = useCallback(() => void api.models().then(setModels, () => {}), [])
  useEffect(load, [load])
  const chosen = models?.models.find(({ name }) => name === draft.model)
  return (
    <>
      <div className="field-pair">
        <div>
          <label htmlFor={`${id}-model`}>Model</label>
          <select
            id={`${id}-model`}
            className="field"
            value={draft.model}
            onChange={event => onChange({ model: event.target.value })}
          >
            <option value="">As the server chooses</option>
            {models?.models
              .toSorted((a, b) => Number(b.isReady) - Number(a.isReady))
              .map(({ name, isReady, needs }) => (
                <option key={name} value={name}>
                  {isReady ? name : `${name} (${needs ?? 'not ready'})`}
                </option>
              ))}
          </select>
        </div>
        <div>
          <label htmlFor={`${id}-syntax`}>Syntax of tool calls</label>
          <select
            id={`${id}-syntax`}
            className="field"
            value={draft.syntax}
            onChange={event => onChange({ syntax: event.target.value })}
          >
            <option value="">As the server chooses</option>
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

/** Takes a key to the server, and forgets it. */
function KeyField({
  model,
  isTaken,
  onStored,
}: {
  model: ListedModel
  isTaken: boolean
  onStored: () => void
}): ReactNode {
  const id = useId()
  const [key, setKey] = useState('')
  const [words, setWords] = useState('')
  const [isBusy, setBusy] = useState(false)
  const { provider } = model
  if (!isTaken) {
    return (
      <p className="meta">
        This model needs a key. Keys can be entered here over HTTPS, or on the server’s own machine. Otherwise run{' '}
        <code>argot keys set {provider}</code> there.
      </p>
    )
  }
  const store = async (): Promise<void> => {
    if (key.trim() === '' || isBusy) return
    setBusy(true)
    setWords('')
    try {
      const { isUsed } = await api.storeKey(provider, key)
      setWords(isUsed ? 'Stored.' : 'Stored, but the server’s environment has another key, which applies.')
      onStored()
    } catch (error) {
      setWords(error instanceof Error ? error.message : String(error))
    } finally {
      setKey('')
      setBusy(false)
    }
  }
  return (
    <div>
      <label htmlFor={id}>Key for {provider}</label>
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
          Store key
        </button>
      </span>
      <p className="meta" id={`${id}-note`} role="status">
        {words === '' ? 'Stored on the server as argot keys does. The page can’t read it back.' : words}
      </p>
    </div>
  )
}
