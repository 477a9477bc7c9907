import { createBuiltinTools, createWorkspace } from '@argot/agent'
import type { JsonSchema } from '@argot/core'
import { describe, expect, test } from 'vitest'
import { builtinNames } from '../../../src/tool/builtin/builtin-tools.ts'
import { isDefinedTool } from '../../../src/tool/define-tool.ts'
import { toolContext } from '../tool-context.ts'

const tools = createBuiltinTools({ workspace: createWorkspace({ roots: ['.'] }) })

test('each tool is found by its name', () => {
  expect([...tools.keys()]).toEqual([
    'read_file',
    'get_contents',
    'read_dir',
    'write_file',
    'append_to_file',
    'find_and_replace',
    'apply_patch',
    'grep',
    'glob',
    'markdown_index',
    'markdown_search',
    'import_image',
    'webpage_to_markdown',
    'ask_user',
  ])
  for (const [name, tool] of tools) expect(tool.name).toBe(name)
})

test('documents are checked by the names that the tools have', () => {
  const all = createBuiltinTools({
    workspace: createWorkspace({ roots: ['.'] }),
    refine: async () => '',
    fork: async () => '',
  })
  expect(builtinNames).toEqual([...all.keys()])
})

test('each built-in tool is made by the door that programs use', () => {
  for (const tool of tools.values()) expect([tool.name, isDefinedTool(tool)]).toEqual([tool.name, true])
})

test('a call of a tool whose output is given outside is not made here', async () => {
  const asking = tools.get('ask_user')!
  expect(asking.client).toBe(true)
  await expect(asking.execute({ question: 'Which?' }, toolContext())).rejects.toMatchObject({ code: 'TOOL_FAILED' })
})

describe.each([...tools.values()])('$name', ({ description, inputSchema, validate }) => {
  const parameters = Object.entries(inputSchema.properties as Record<string, JsonSchema>)

  test('is described in complete sentences', () => {
    expect(description).toMatch(/^[A-Z].*\.$/s)
    for (const [, schema] of parameters) expect(schema.description).toMatch(/^[A-Z].*\.$/)
  })

  test('has a closed schema with an example for each parameter, which is a valid input', async () => {
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
    const input = Object.fromEntries(parameters.map(([name, schema]) => [name, schema.examples?.[0]]))
    expect(await validate(input)).toEqual({ ok: true, input })
    expect(JSON.parse(JSON.stringify(inputSchema))).toEqual(inputSchema)
  })

  test('never throws in its check, whatever the input is', async () => {
    for (const input of [undefined, null, 1, 'x', [], () => 1, { x: 1 }, JSON.parse('{"__proto__": 1}')]) {
      expect(await validate(input)).toMatchObject({ ok: expect.any(Boolean) })
    }
  })
})
