import { accumulate, type Chunk, isToolPart, type Message, type ToolInvocation } from '@argot/core'
import { CallList, Markdown, RunLine, ToolCard } from '@argot/react'
import { type ReactNode, useEffect, useId, useState } from 'react'
import { Column } from './column.tsx'

const speeds = [0.5, 1, 4, 16, 64]

export function StreamPage(): ReactNode {
  const [speed, setSpeed] = useState(4)
  const [round, setRound] = useState(0)
  const message = useStream(speed, round)
  const id = useId()
  const calls = message?.parts.filter(isToolPart).map(part => part.toolInvocation as ToolInvocation) ?? []
  return (
    <Column>
      <h1>A live stream</h1>
      <div className="bar">
        <label htmlFor={id}>
          Speed
          <select id={id} value={speed} onChange={event => setSpeed(Number(event.target.value))}>
            {speeds.map(one => (
              <option key={one} value={one}>
                {one} ×
              </option>
            ))}
          </select>
        </label>
        <button type="button" onClick={() => setRound(round + 1)}>
          Play again
        </button>
      </div>
      {message !== undefined && (
        <>
          <RunLine calls={calls} status={message.status === 'streaming' ? 'working' : 'done'} />
          <div className="argot-rail">
            {message.parts.map(part => {
              if (part.type === 'text') {
                return (
                  <div
                    key={part.id}
                    className={part.phase === 'commentary' ? 'argot-text argot-commentary' : 'argot-text'}
                  >
                    <Markdown text={part.text} isStreaming={part.state === 'streaming'} />
                  </div>
                )
              }
              if (!isToolPart(part)) return null
              return (
                <CallList
                  key={part.toolInvocation.key}
                  calls={[part.toolInvocation]}
                  renderCall={call => <ToolCard key={call.key} part={part} message={message} />}
                />
              )
            })}
          </div>
        </>
      )}
    </Column>
  )
}

/** The message so far, drawn at most once per frame. */
function useStream(speed: number, round: number): Message | undefined {
  const [message, setMessage] = useState<Message>()
  useEffect(() => {
    const fold = accumulate()
    const chunks = script(round)
    let at = 0
    let owed = 0
    let last = performance.now()
    let frame = requestAnimationFrame(function next(now) {
      owed += ((now - last) / 1000) * 60 * speed
      last = now
      for (; owed >= 1 && at < chunks.length; owed--) fold.push(chunks[at++]!)
      setMessage(fold.message)
      if (at < chunks.length) frame = requestAnimationFrame(next)
    })
    return () => cancelAnimationFrame(frame)
  }, [speed, round])
  return message
}

const file = Array.from(
  { length: 60 },
  (_, line) => `test('case ${line + 1}', async () => {\n  assert.equal(await read(${line + 1}), ${line + 1})\n})\n`,
).join('\n')

function script(round: number): Chunk[] {
  const say = (id: string, text: string): Chunk[] => [
    { type: 'text-start', id },
    ...(text.match(/\S+\s*/g) ?? []).map((delta): Chunk => ({ type: 'text-delta', id, delta })),
    { type: 'text-end', id },
  ]
  const input = JSON.stringify({ path: 'test/offset.test.ts', content: file })
  const run = { toolCallId: 'b', toolName: 'run' }
  return [
    { type: 'start', messageId: `m${round}` },
    { type: 'start-step' },
    ...say('1', "The subtraction belongs to the caller. I'll write the tests that pin it, then run them."),
    { type: 'tool-input-start', toolCallId: 'a', toolName: 'write_file' },
    ...(input.match(/.{1,16}/gs) ?? []).map(
      (inputTextDelta): Chunk => ({ type: 'tool-input-delta', toolCallId: 'a', inputTextDelta }),
    ),
    { type: 'tool-input-available', toolCallId: 'a', toolName: 'write_file', input: JSON.parse(input) as unknown },
    { type: 'tool-output-available', toolCallId: 'a', output: 'Wrote 180 lines.' },
    { type: 'tool-input-available', ...run, input: { command: 'npm test' } },
    ...Array.from(
      { length: 46 },
      (_, test): Chunk => ({
        type: 'tool-output-available',
        toolCallId: 'b',
        output: `${test + 1} of 46 tests\n`,
        preliminary: true,
      }),
    ),
    { type: 'tool-output-available', toolCallId: 'b', output: { exitCode: 0, stdout: 'tests 46\npass 46\n' } },
    { type: 'finish-step' },
    { type: 'start-step' },
    ...say('2', 'Done: `--from 41` starts at line 41, and **all 46 tests pass**. Old recordings read as before.'),
    { type: 'finish-step' },
    { type: 'finish' },
  ]
}
