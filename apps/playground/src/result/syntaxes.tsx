import { visibleText } from '@argot/core/stream'
import { type ReactNode, useId, useState } from 'react'
import { CopyButton } from '../frame/copy-button.tsx'
import type { Cost, ReplyConversion } from '../reading/convert-reply.ts'

const FIRST = 8

interface SyntaxesProps {
  costs: readonly Cost[]
  conversion: ReplyConversion | undefined
  target: string
  onTarget: (syntax: string) => void
}

/** The same calls in each syntax: their cost, and the reply in the chosen syntax. */
export function Syntaxes({ costs, conversion, target, onTarget }: SyntaxesProps): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const name = useId()
  const most = Math.max(1, ...costs.map(({ tokens = 0 }) => tokens))
  const rows = isOpen ? costs : firstRows(costs, target)
  return (
    <>
      <fieldset className="costs">
        <legend className="hidden">Convert to</legend>
        <p className="costs-head" aria-hidden="true">
          <span>Syntax</span>
          <span>Tokens, estimated</span>
        </p>
        {rows.map(cost => (
          <CostRow
            key={cost.syntax}
            cost={cost}
            most={most}
            name={name}
            isChosen={cost.syntax === target}
            onTarget={onTarget}
          />
        ))}
      </fieldset>
      <button type="button" className="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'Show fewer' : `Show all ${costs.length} syntaxes`}
      </button>
      {conversion !== undefined && <ConvertedReply conversion={conversion} />}
    </>
  )
}

/** A spread from the shortest to the longest that includes the chosen one. */
function firstRows(costs: readonly Cost[], target: string): Cost[] {
  const able = costs.filter(({ tokens }) => tokens !== undefined)
  const spread = Array.from({ length: FIRST }, (_, i) => able[Math.round((i * (able.length - 1)) / (FIRST - 1))])
  return costs.filter(cost => cost.syntax === target || spread.includes(cost))
}

interface CostRowProps extends Pick<SyntaxesProps, 'onTarget'> {
  cost: Cost
  most: number
  name: string
  isChosen: boolean
}

function CostRow({ cost: { syntax, tokens, problem }, most, name, isChosen, onTarget }: CostRowProps): ReactNode {
  return (
    <label className="cost" data-chosen={isChosen ? '' : undefined}>
      <input type="radio" name={name} value={syntax} checked={isChosen} onChange={() => onTarget(syntax)} />
      <span className="cost-name">{syntax}</span>
      <svg className="cost-bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        <rect width={((tokens ?? 0) / most) * 100} height={1} />
      </svg>
      <span className="cost-tokens">
        {tokens === undefined ? (
          <span title={problem}>cannot write it</span>
        ) : (
          <>
            {`≈ ${tokens}`}
            <span className="hidden"> tokens</span>
          </>
        )}
      </span>
    </label>
  )
}

function ConvertedReply({ conversion: { syntax, text, problem, isSame } }: { conversion: ReplyConversion }): ReactNode {
  if (problem !== undefined) return <p className="why">{visibleText(problem)}</p>
  return (
    <figure className="converted">
      <figcaption className="converted-head">
        <span>
          The reply as <code>{syntax}</code>
        </span>
        <span className="meta">{describeCheck(isSame)}</span>
        <CopyButton label="Copy" text={() => text} />
      </figcaption>
      <textarea
        className="converted-text"
        readOnly
        spellCheck={false}
        rows={Math.min(18, text.split('\n').length)}
        aria-label={`The reply as ${syntax}`}
        value={text}
      />
    </figure>
  )
}

function describeCheck(isSame: boolean | undefined): string {
  if (isSame === undefined) return 'Providers send native calls apart from the text'
  return isSame ? 'Reads back as the same calls' : 'Does not read back as the same calls'
}
