import { extname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { quoted } from '../../words/quoted.ts'
import { toMessage } from '../../words/to-message.ts'
import { ToolFailure } from '../../words/tool-failure.ts'
import { isDefinedTool } from '../define-tool.ts'
import type { Tool } from '../tool.ts'

const LOAD_MS = 30_000

/**
 * The tools that a JavaScript file exports: everything that `defineTool` created, alone or in lists. Executes the file
 * in this process, with all its rights. Throws a `ToolFailure` in one sentence; `name` is for messages.
 */
export async function loadModule(path: string, name: string): Promise<Tool[]> {
  let exports: Record<string, unknown>
  try {
    exports = await withTimeout(import(pathToFileURL(path).href) as Promise<Record<string, unknown>>)
  } catch (error) {
    throw new ToolFailure('TOOL_BAD_MODULE', `${quoted(name)} cannot be loaded: ${describeReason(error, path)}`, {
      cause: error,
    })
  }
  const tools = Object.values(exports).flat().filter(isDefinedTool)
  // The same tool may be exported under two names.
  const distinct = [...new Set(tools)]
  if (distinct.length > 0) return distinct
  const message = `${quoted(name)} exports no tools. Export the result of \`defineTool\` from @argot/agent.`
  throw new ToolFailure('TOOL_BAD_MODULE', message)
}

/** A module that waits forever would end the program silently. */
function withTimeout<Value>(loading: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`it was not ready after ${LOAD_MS / 1000} s.`)), LOAD_MS)
    void loading.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function describeReason(error: unknown, path: string): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && /^\.[cm]?ts$/.test(extname(path))) {
    return `TypeScript needs Node 22.18 or newer, but this is ${process.version}. Compile the file to JavaScript, or use a newer Node.`
  }
  const [line = ''] = toMessage(error).split('\n')
  return /[.!?]$/.test(line) ? line : `${line}.`
}
