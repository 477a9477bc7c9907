import type { ReactNode } from 'react'
import { CopyButton } from './frame/copy-button.tsx'
import { writeFragment } from './state/fragment.ts'
import { type SampleReply, sampleReplies } from './state/samples.ts'

interface PlaygroundHeaderProps {
  text: string
  syntax: string
  /** Empty until the worker has listed them. */
  names: readonly string[]
  toolsJson: string
  onSyntax: (syntax: string) => void
  onSample: (sample: SampleReply) => void
}

export function Header({ text, syntax, names, toolsJson, onSyntax, onSample }: PlaygroundHeaderProps): ReactNode {
  const options = [...new Set(['auto', syntax, ...names])]
  return (
    <header className="head">
      <div className="head-bar">
        <h1 className="head-title">
          Argot <span className="head-light">playground</span>
        </h1>
        <label className="pick">
          <span>Read as</span>
          <select value={syntax} onChange={event => onSyntax(event.target.value)}>
            {options.map(name => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <CopyButton
          label="Copy link"
          icon="link"
          text={() => makeLink({ text, syntax, tools: toolsJson })}
          refusal="Too long for a link"
          onCopied={link => history.replaceState(null, '', link)}
        />
      </div>
      <p className="head-about">Paste what a model wrote and see what Argot reads. Nothing leaves your browser.</p>
      <nav aria-label="Samples">
        <ul className="samples">
          {sampleReplies.map(sample => (
            <li key={sample.name}>
              <button
                type="button"
                className="argot-pick sample"
                title={sample.about}
                aria-pressed={sample.text === text}
                onClick={() => onSample(sample)}
              >
                {sample.name}
              </button>
            </li>
          ))}
        </ul>
      </nav>
    </header>
  )
}

async function makeLink(shared: { text: string; syntax: string; tools: string }): Promise<string | undefined> {
  const fragment = await writeFragment(shared)
  return fragment === undefined ? undefined : new URL(fragment, location.href).href
}
