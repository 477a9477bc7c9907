import type { ToolInvocation, ToolState } from '@argot/core'
import { ToolCard } from '@argot/react'
import type { DefaultExpanded } from '@argot/react/types'
import { type ReactNode, useId, useState } from 'react'
import { Column } from './column.tsx'

interface Preset {
  name: string
  policy: DefaultExpanded | undefined
  source: string
}

const presets: readonly Preset[] = [
  { name: 'Built-in', policy: undefined, source: '// no entry: the built-in behaviour' },
  { name: 'Always open', policy: { write: true }, source: 'defaultExpanded={{ write: true }}' },
  { name: 'Always closed', policy: { write: false }, source: 'defaultExpanded={{ write: false }}' },
  {
    name: 'Open while it runs',
    policy: {
      write: ({ section, state }) => (section ? undefined : state === 'input-streaming' || state === 'input-available'),
    },
    source: `defaultExpanded={{
  write: (ownerState) =>
    ownerState.section
      ? undefined
      : ownerState.state === 'input-streaming' ||
        ownerState.state === 'input-available',
}}`,
  },
  {
    name: 'Open while the message streams',
    policy: { '*': ({ section, isMessageStreaming }) => (section ? undefined : isMessageStreaming) },
    source: `defaultExpanded={{
  '*': (ownerState) =>
    ownerState.section ? undefined : ownerState.isMessageStreaming,
}}`,
  },
]

const states: readonly ToolState[] = ['input-streaming', 'input-available', 'output-available', 'output-error']

/** Pick a policy, step through the call's states, toggle its message's streaming, and see what opens and closes. */
export function PlaygroundPage(): ReactNode {
  const [preset, setPreset] = useState(0)
  const [step, setStep] = useState(0)
  const [isStreaming, setStreaming] = useState(true)
  const { policy, source } = presets[preset]!
  const id = useId()
  return (
    <Column>
      <h1>defaultExpanded</h1>
      <p className="intro">
        Pick a policy, step through the call's states, switch its message's streaming, and watch the card.
      </p>
      <div className="bar">
        <label htmlFor={`${id}p`}>
          Policy
          <select id={`${id}p`} value={preset} onChange={event => setPreset(Number(event.target.value))}>
            {presets.map(({ name }, index) => (
              <option key={name} value={index}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label htmlFor={`${id}s`}>
          State
          <select id={`${id}s`} value={step} onChange={event => setStep(Number(event.target.value))}>
            {states.map((state, index) => (
              <option key={state} value={index}>
                {state}
              </option>
            ))}
          </select>
        </label>
        <button type="button" onClick={() => setStep((step + 1) % states.length)}>
          Step
        </button>
        <label htmlFor={`${id}m`}>
          <input
            id={`${id}m`}
            type="checkbox"
            checked={isStreaming}
            onChange={event => setStreaming(event.target.checked)}
          />
          message streams
        </label>
      </div>
      {/* A new key per policy: otherwise the card would still show the result of the previous policy. */}
      <ToolCard
        key={preset}
        part={{ type: 'dynamic-tool', toolInvocation: callIn(states[step]!) }}
        message={{ status: isStreaming ? 'streaming' : 'sent', role: 'assistant' }}
        defaultExpanded={policy}
      />
      <h2>The policy</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className="policy" tabIndex={0}>
        {source}
      </pre>
    </Column>
  )
}

function callIn(state: ToolState): ToolInvocation {
  const call: ToolInvocation = {
    key: 'p',
    toolCallId: 'p',
    toolName: 'write',
    state,
    input: { path: 'src/App.tsx', contents: 'export const App = () => <div>Hello</div>;\n' },
  }
  if (state === 'output-available') call.output = 'Wrote 1 line.'
  if (state === 'output-error') call.errorText = 'EACCES: permission denied, open src/App.tsx'
  return call
}
