import type { JsonSchema } from '@argot/core'
import type { ToolEffect } from '@argot/core/stream'
import type { Tool, ToolContext } from '../../src/tool/tool.ts'

/** A tool that notes what it is given and gives what it is told to. */
export function fakeTool(
  name: string,
  effect: ToolEffect,
  execute: (input: Record<string, unknown>, context: ToolContext) => unknown = () => `${name} done`,
  more: Partial<Tool> = {},
): Tool & { readonly inputs: unknown[] } {
  const inputs: unknown[] = []
  const inputSchema: JsonSchema = { type: 'object', properties: { a: { type: 'string' } } }
  return {
    ...{ name, effect, inputSchema, inputs },
    description: `Does ${name}.`,
    validate: input => ({ ok: true, input }),
    async execute(input, context) {
      inputs.push(input)
      return { output: await execute(input as Record<string, unknown>, context) }
    },
    ...more,
  }
}

/** A promise, and what settles it. */
export function deferred<Value = void>(): { promise: Promise<Value>; resolve: (value: Value) => void } {
  let resolve!: (value: Value) => void
  const promise = new Promise<Value>(done => {
    resolve = done
  })
  return { promise, resolve }
}
