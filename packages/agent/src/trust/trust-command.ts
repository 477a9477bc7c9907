import type { ToolDeclaration } from '@argot/core/chatmd/internal'
import { defined } from '@argot/core/stream/internal'
import type { TrustQuestion } from './trust-question.ts'
import type { TrustStore } from './trust-store.ts'

/**
 * The exact command line that a document's tool would start. Undefined for a tool that starts none. A server keeps its
 * `stdio:`, so that trust in a tool's command doesn't extend to a server's.
 */
export function exactCommand(tool: ToolDeclaration): string | undefined {
  if (tool.kind === 'shell') return tool.command
  return tool.kind === 'mcp' && tool.server.startsWith('stdio:') ? tool.server : undefined
}

export interface TrustCommandOptions extends TrustQuestion {
  store: TrustStore
  /** The user allows every command of this run. Nothing is remembered. */
  allowExec?: boolean | undefined
  /** Asks the user. Without it, only remembered commands are trusted. */
  trust?: ((question: TrustQuestion) => Promise<boolean | 'once'>) | undefined
}

/**
 * Whether a document's command may be offered to the model. The user's yes is remembered. A no isn't, and neither is a
 * yes to a missing program: no one can know what it will be.
 */
export async function trustCommand(options: TrustCommandOptions): Promise<boolean> {
  const { store, file, command, identity, allowExec, trust } = options
  if (allowExec === true) return true
  const question = { file, command, ...defined({ identity }) }
  if (identity !== undefined && (await store.isTrusted(question))) return true
  const answer = await trust?.(question)
  if (answer === true && identity !== undefined) await store.trust(question)
  return answer === true || answer === 'once'
}
