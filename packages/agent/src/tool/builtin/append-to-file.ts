import { Buffer } from 'node:buffer'
import type { JsonSchema } from '@argot/core'
import type { Workspace } from '../../files/workspace.ts'
import { quoted } from '../../words/quoted.ts'
import { ToolFailure } from '../../words/tool-failure.ts'
import { askAboutDocuments } from '../ask-about-documents.ts'
import { defineBuiltinTool, withDetails } from '../define-tool.ts'
import { foreseeChange } from '../foreseen-change.ts'
import { cutOutput } from '../output/cut-output.ts'
import type { Tool } from '../tool.ts'
import { describeSize, type FileChangeDetails } from './describe-change.ts'
import { fileParameter } from './path-parameter.ts'

const DETAIL_BYTES = 48 * 1024
/** A NUL byte in this many bytes at its end means that a file is not text. */
const CHECKED_BYTES = 8192
/** An addition to a larger file has no preview. */
const PREVIEWED_BYTES = 10 * 1024 * 1024

const description =
  'Adds text to the end of a text file, exactly as it is given: no newline is put before or after it. Creates the file, and the folders above it, if it does not exist.'

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    path: fileParameter('The file to add to', 'notes.md'),
    content: {
      type: 'string',
      minLength: 1,
      description: 'The text to add. Begin it with a newline if the file does not end with one; end it with one.',
      examples: ['One more line.\n'],
    },
  },
  required: ['path', 'content'],
  additionalProperties: false,
}

export function createAppendToFile(workspace: Workspace): Tool {
  return defineBuiltinTool<{ path: string; content: string }>(
    {
      name: 'append_to_file',
      title: 'Append to file',
      description,
      inputSchema,
      effect: 'write',
      subject: ({ path }) => ({ kind: 'path', paths: [path] }),
      async foresee({ path, content }, signal) {
        const real = await locateEither(workspace, path)
        const exists = (await readEnding(workspace, real)) !== undefined
        const before = exists ? await workspace.read(real, PREVIEWED_BYTES, signal) : ''
        return [foreseeChange(workspace.show(real), exists, before, before + content)]
      },
      async execute({ path, content }, { signal, keepFiles }) {
        const real = await locateEither(workspace, path)
        return workspace.alone(real, async () => {
          const ending = await readEnding(workspace, real)
          await keepFiles?.([{ real, added: content }])
          signal.throwIfAborted()
          await workspace.append(real, content)
          const shownPath = workspace.show(real)
          const created = ending === undefined
          const words = created ? `Created ${quoted(shownPath)}` : `Added to ${quoted(shownPath)}`
          const joinNotice =
            ending === 'in a line' ? ' The file did not end with a newline, so the text continues its last line.' : ''
          const details: FileChangeDetails = { path: shownPath, created, diff: describeAddition(content) }
          return withDetails(`${words}: ${describeSize(content)}.${joinNotice}`, details)
        })
      },
    },
    {
      mustAsk: ({ path }) => askAboutDocuments(workspace, [path]),
    },
  )
}

/** The existing file, in any root; otherwise the one to create. */
async function locateEither(workspace: Workspace, path: string): Promise<string> {
  try {
    return await workspace.locateNew(await workspace.locate(path))
  } catch (error) {
    if (error instanceof ToolFailure && error.code === 'TOOL_FILE_NOT_FOUND') return workspace.locateNew(path)
    throw error
  }
}

/** How the file ends; undefined if there is none. Throws if the file is not text. */
async function readEnding(workspace: Workspace, real: string): Promise<'in a line' | 'after a line' | undefined> {
  try {
    const { file, size } = await workspace.open(real)
    try {
      const bytes = Buffer.alloc(CHECKED_BYTES)
      const { bytesRead } = await file.read(bytes, 0, CHECKED_BYTES, Math.max(0, size - CHECKED_BYTES))
      const end = bytes.subarray(0, bytesRead)
      if (end.includes(0)) {
        const message = `${quoted(workspace.show(real))} is not text, so no text is added to it. Choose another file.`
        throw new ToolFailure('TOOL_BINARY', message)
      }
      return end.length === 0 || end.at(-1) === 10 ? 'after a line' : 'in a line'
    } finally {
      await file.close()
    }
  } catch (error) {
    if (error instanceof ToolFailure && error.code === 'TOOL_FILE_NOT_FOUND') return undefined
    throw error
  }
}

function describeAddition(content: string): string {
  const lines = content.endsWith('\n') ? content.slice(0, -1) : content
  return cutOutput(`+${lines.replaceAll('\n', '\n+')}\n`, DETAIL_BYTES)
}
