import { type ReactNode, useId } from 'react'
import type { ParsedTools } from '../state/parse-tools.ts'
import { listWords } from '../state/words.ts'

interface ToolsFieldProps {
  json: string
  parsed: ParsedTools
  onChange: (json: string) => void
}

/** The tools as JSON. Their schemas give the inputs types; their names identify near misses. */
export function ToolsField({ json, parsed, onChange }: ToolsFieldProps): ReactNode {
  const help = useId()
  const { problem } = parsed
  return (
    <details className="tools">
      <summary>
        <span className="tools-title">Tools</span> <span className="meta">{describeTools(parsed)}</span>
      </summary>
      <textarea
        className="tools-field"
        aria-label="Tools as JSON"
        aria-describedby={help}
        aria-invalid={problem !== undefined}
        value={json}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        onChange={event => onChange(event.target.value)}
      />
      <p
        id={help}
        className={problem === undefined ? 'help' : 'help problem'}
        role={problem === undefined ? undefined : 'status'}
      >
        {problem ?? 'Schemas give the inputs their types. The OpenAI, Anthropic and MCP formats work too.'}
      </p>
    </details>
  )
}

function describeTools({ tools, problem }: ParsedTools): string {
  if (problem !== undefined) return 'cannot be read'
  if (tools.length === 0) return 'none, so every value is text'
  const names = tools.slice(0, 4).map(({ name }) => name)
  return tools.length > 4 ? `${names.join(', ')} and ${tools.length - 4} more` : listWords(names)
}
