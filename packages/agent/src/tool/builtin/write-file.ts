import { lstat } from 'node:fs/promises'
import type { JsonSchema } from '@argot/core'
import type { Workspace } from '../../files/workspace.ts'
import { quoted } from '../../words/quoted.ts'
import { ToolFailure } from '../../words/tool-failure.ts'
import { askAboutDocuments } from '../ask-about-documents.ts'
import { defineBuiltinTool, withDetails } from '../define-tool.ts'
import { foreseeChange, identifyContent } from '../foreseen-change.ts'
import type { Tool } from '../tool.ts'
import { describeChange, describeSize } from './describe-change.ts'
import { fileParameter } from './path-parameter.ts'

/** A larger file's old text is not compared with the new one. */
const COMPARED_BYTES = 10 * 1024 * 1024

const description =
  'Writes a complete text file: creates it, with the folders above it, or replaces everything that was in it. To change a part of a file, replace or patch that part instead. The document of this conversation cannot be written.'

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    path: fileParameter('The file to write', 'notes.md'),
    content: {
      type: 'string',
      description: 'The whole new text of the file, written exactly as it is.',
      examples: ['# Notes\n'],
    },
  },
  required: ['path', 'content'],
  additionalProperties: false,
}

export function createWriteFile(workspace: Workspace): Tool {
  return defineBuiltinTool<{ path: string; content: string }>(
    {
      name: 'write_file',
      title: 'Write file',
      description,
      inputSchema,
      effect: 'write',
      subject: ({ path }) => ({ kind: 'path', paths: [path] }),
      async foresee({ path, content }, signal) {
        const real = await workspace.locateNew(path)
        const created = await isMissing(real)
        const before = created ? undefined : await readOldText(workspace, real, signal)
        const options = {
          isWhole: true,
          before: before === undefined && !created ? await identifyFile(real) : undefined,
        }
        return [foreseeChange(workspace.show(real), !created, before, content, options)]
      },
      async execute({ path, content }, { signal, keepFiles }) {
        const real = await workspace.locateNew(path)
        return workspace.alone(real, async () => {
          const created = await isMissing(real)
          const before = created ? undefined : await readOldText(workspace, real, signal)
          await keepFiles?.([{ real, after: content }])
          signal.throwIfAborted()
          await workspace.write(real, content)
          const shownPath = workspace.show(real)
          const output = `${created ? 'Created' : 'Replaced'} ${quoted(shownPath)}: ${describeSize(content)}.`
          return withDetails(output, describeChange(shownPath, created, before, content))
        })
      },
    },
    {
      mustAsk: ({ path }) => askAboutDocuments(workspace, [path]),
    },
  )
}

function isMissing(real: string): Promise<boolean> {
  return lstat(real).then(
    () => false,
    () => true,
  )
}

async function identifyFile(real: string): Promise<string> {
  const { size, mtimeMs, ino } = await lstat(real)
  return identifyContent(JSON.stringify([size, mtimeMs, ino]))
}

/** Undefined if it is not text, or too long to compare; it may still be replaced. */
async function readOldText(workspace: Workspace, real: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    return await workspace.read(real, COMPARED_BYTES, signal)
  } catch (error) {
    if (error instanceof ToolFailure) return undefined
    throw error
  }
}
