import type { ToolDeclaration } from '@argot/core/chatmd/internal'
import { defined } from '@argot/core/stream/internal'
import type { TrustQuestion } from './trust-question.ts'
import type { TrustStore } from './trust-store.ts'

/**
 * The command line that a tool of a document would start, exactly as it is there; undefined for a tool that starts
 * none. A server keeps its `stdio:`, so that trust in the one is not trust in the other.
 */
export function exactCommand(tool: ToolDeclaration): string | undefined {
  if (tool.kind === 'shell') return tool.command
  return tool.kind === 'mcp' && tool.server.startsWith('stdio:') ? tool.server : undefined
}

export interface TrustCommandOptions extends TrustQuestion {
  store: TrustStore
  /** The user allows every command of this run. Nothing is remembered. */
  allowExec?: boolean | undefined
  /** Asks the user. Without it, what is not remembered is not trusted. */
  trust?: ((question: TrustQuestion) => Promise<boolean | 'once'>) | undefined
}

/**
 * Whether a command of a document may be offered to the model. A yes of the user is remembered, a no is not, and neither is a
 * yes to a program that is not there: nobody can say what it will be.
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
