import { createBuiltinTools, createWorkspace, type Tool, ToolFailure } from '@argot/agent'
import type { ToolOutcome } from '@argot/agent/internal'
import { expect } from 'vitest'

/** The built-in tool of this name over a folder. */
export function builtin(name: string, root: string, ...more: string[]): Tool {
  return createBuiltinTools({ workspace: createWorkspace({ roots: [root, ...more] }) }).get(name)!
}

/** Runs a tool as the loop does: with what its own check lets pass. */
export async function call(
  tool: Tool,
  input: unknown,
  signal: AbortSignal = new AbortController().signal,
): Promise<ToolOutcome> {
  const validation = await tool.validate(input)
  if (!validation.ok) throw new Error(validation.problem)
  return tool.execute(validation.input, { toolCallId: 'c1', idempotencyKey: 'k1', signal, preview() {} })
}

/** The text that a model gets. */
export async function textOf(tool: Tool, input: unknown): Promise<string> {
  const { output } = await call(tool, input)
  expect(output).toBeTypeOf('string')
  return output as string
}

/** The failure of something that must be refused: its code and a message in complete sentences. */
export async function failureOf(work: Promise<unknown>): Promise<{ code: string; message: string }> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ToolFailure)
  const { code, message } = error as ToolFailure
  expect(message).toMatch(/^[A-Z`].+[.?]$/s)
  expect(message.length).toBeLessThan(2000)
  return { code, message }
}

/** What is wrong with an input, in a sentence. */
export async function problemOf(tool: Tool, input: unknown): Promise<string> {
  const validation = await tool.validate(input)
  expect(validation).toEqual({ ok: false, problem: expect.stringMatching(/^[A-Z`].+\.$/s) })
  return validation.ok ? '' : validation.problem
}
