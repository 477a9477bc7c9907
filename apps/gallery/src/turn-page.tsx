import { isToolPart, type Message, type ToolInvocation } from '@argot/core'
import { CallList, Markdown, RunLine, ToolCard } from '@argot/react'
import { type ReactNode, useMemo, useState } from 'react'
import { Column } from './column.tsx'
import type { TurnFixture } from './fixtures.ts'
import type { PageProps } from './page-props.ts'

export function TurnPage({ fixtures: { turn } }: PageProps): ReactNode {
  const finishedTurn = useMemo(() => finishTurn(turn), [turn])
  return (
    <Column>
      <h1>Turns</h1>
      <h2>Working</h2>
      <Turn turn={turn} status="working" />
      <h2>Finished and folded</h2>
      <Turn turn={finishedTurn} status="done" isFolded />
      <h2>Stopped</h2>
      <Turn turn={finishedTurn} status="stopped" isFolded />
    </Column>
  )
}

interface TurnProps {
  turn: TurnFixture
  status: 'working' | 'done' | 'stopped'
  isFolded?: boolean
}

function Turn({ turn, status, isFolded = false }: TurnProps): ReactNode {
  const [isOpen, setOpen] = useState(!isFolded)
  const calls = turn.message.parts.filter(isToolPart).map(part => part.toolInvocation as ToolInvocation)
  return (
    <div className="argot-work">
      <RunLine
        calls={calls}
        status={status}
        startedAt={turn.epoch}
        endedAt={turn.now}
        isOpen={isOpen}
        onToggle={setOpen}
      />
      {isOpen && (
        <div className="argot-rail">
          {groupParts(turn.message).map((stretch, index, all) =>
            typeof stretch === 'string' ? (
              <div key={stretch} className="argot-text argot-commentary">
                <Markdown text={stretch} />
              </div>
            ) : (
              <CallList
                key={stretch[0]!.key}
                calls={stretch}
                isNewest={index === all.length - 1}
                renderCall={(call, isTurning) => (
                  <ToolCard
                    key={call.key}
                    part={{ type: 'dynamic-tool', toolInvocation: call }}
                    message={turn.message}
                    isTurning={isTurning}
                    sub={turn.sub[call.key]}
                    defaultExpanded={{
                      '*': owner => (owner.section ? undefined : ['c3', 'c7', 'c8'].includes(call.key)),
                    }}
                  />
                )}
              />
            ),
          )}
        </div>
      )}
      {status === 'done' && (
        <div className="answer">
          <Markdown text="One is taken off twice: `src/cli/tail.ts` passes an offset that already counts from zero, and `parseOffset` in `src/log/reader.ts` subtracts again. So `--from 41` starts at line 40." />
        </div>
      )}
    </div>
  )
}

/** Texts and rows of consecutive calls, in order. */
function groupParts({ parts }: Message): (string | ToolInvocation[])[] {
  const result: (string | ToolInvocation[])[] = []
  for (const part of parts) {
    const last = result.at(-1)
    if (part.type === 'text') result.push(part.text)
    else if (isToolPart(part)) {
      if (Array.isArray(last)) last.push(part.toolInvocation)
      else result.push([part.toolInvocation])
    }
  }
  return result
}

/** The turn with its last calls answered and its failure repaired. */
function finishTurn(turn: TurnFixture): TurnFixture {
  const parts = turn.message.parts.map(part => {
    if (part.type !== 'dynamic-tool') return part
    const call = part.toolInvocation
    if (call.key === 'c4') return { ...part, toolInvocation: { ...call, output: 'ok', details: { exitCode: 0 } } }
    if (call.endedAt !== undefined) return part
    return {
      ...part,
      toolInvocation: { ...call, state: 'output-available' as const, output: 'ok', endedAt: turn.now - 500 },
    }
  })
  return { ...turn, message: { ...turn.message, status: 'sent', parts } }
}
