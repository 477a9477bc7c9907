import type { ToolDefinition } from '@argot/core'

/** The tools that the cases call. */
export const tools: ToolDefinition[] = [
  {
    name: 'read_files',
    description: 'Reads files.',
    effect: 'read',
    inputSchema: {
      type: 'object',
      properties: {
        project: { type: 'string' },
        paths: { type: 'array', items: { type: 'string' }, description: 'Where they are.' },
      },
      required: ['paths'],
    },
  },
  {
    name: 'write_file',
    description: 'Writes a file.',
    effect: 'write',
    inputSchema: {
      type: 'object',
      properties: {
        content: { type: 'string' },
        path: { type: 'string', examples: ['src/lib.rs'] },
        mode: { type: 'string', enum: ['create', 'append'] },
      },
      required: ['path', 'content'],
    },
  },
  {
    name: 'any',
    inputSchema: {
      type: 'object',
      properties: {
        integer: { type: 'integer' },
        number: { type: 'number' },
        boolean: { type: 'boolean' },
        nothing: { type: 'null' },
        choice: { enum: ['a', 1] },
        object: { type: 'object', properties: { x: { type: 'integer' } } },
        numbers: { type: 'array', items: { type: 'number' } },
        objects: { type: 'array', items: { type: 'object' } },
        queries: { type: 'array', items: { type: 'string' } },
        maybe: { type: ['string', 'null'] },
        free: {},
        pattern: { type: 'string' },
        point: { $ref: '#/$defs/point' },
      },
      $defs: { point: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] } },
    },
  },
]
