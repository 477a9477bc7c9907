import type { JsonSchema } from '@argot/core'
import { imageType } from '../../files/image-type.ts'
import { readBytes } from '../../files/local-file.ts'
import { toToolFailure } from '../../files/to-tool-failure.ts'
import type { Workspace } from '../../files/workspace.ts'
import { defineBuiltinTool } from '../define-tool.ts'
import { renameKeys } from '../schema/rename-keys.ts'
import type { Tool } from '../tool.ts'
import { fileParameter } from './path-parameter.ts'

const IMAGE_BYTES = 5 * 1024 * 1024

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    path: fileParameter('The picture to look at', 'docs/screen.png'),
  },
  required: ['path'],
  additionalProperties: false,
}

/** For models with vision. The first bytes decide the type. */
export function createImportImage(workspace: Workspace): Tool {
  return defineBuiltinTool<{ path: string }>(
    {
      name: 'import_image',
      title: 'Look at image',
      description: 'Gives you a picture (PNG, JPEG, GIF or WebP, at most 5 MB) to look at.',
      inputSchema,
      effect: 'read',
      subject: ({ path }) => ({ kind: 'path', paths: [path] }),
      async execute({ path }, { signal }) {
        const real = await workspace.locate(path)
        const name = workspace.show(real)
        try {
          const bytes = await readBytes(real, name, IMAGE_BYTES, signal)
          const mediaType = imageType(bytes, name)
          const file = { type: 'file-data', data: bytes.toString('base64'), mediaType, filename: name } as const
          return { type: 'content', value: [file] }
        } catch (error) {
          throw toToolFailure(error)
        }
      },
    },
    {
      reshape: input => renameKeys(input, { file: 'path' }),
    },
  )
}
