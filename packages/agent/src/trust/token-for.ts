import type { ErrorCode } from '@argot/core'
import { quoted } from '../words/quoted.ts'

/** Variables that a document may send to an MCP server without the user's permission. */
const OPEN_NAME = /^ARGOT_MCP_[A-Za-z0-9_]+$/

export interface TokenOptions {
  tokenEnv: string
  env: Readonly<Record<string, string | undefined>>
  allowEnv: readonly string[]
}

/** Documents may name `ARGOT_MCP_…` variables, and others if the user allows them. Messages never contain the value. */
export function tokenFor({
  tokenEnv,
  env,
  allowEnv,
}: TokenOptions): { ok: true; token: string } | { ok: false; code: ErrorCode; message: string } {
  const name = quoted(tokenEnv)
  const refusal = refuseTokenName(tokenEnv, allowEnv)
  if (refusal !== undefined) return { ok: false, ...refusal }
  const token = Object.hasOwn(env, tokenEnv) ? env[tokenEnv]?.trim() : undefined
  if (!token) {
    const message = `The variable ${name} is not set. Set it to the MCP server's token.`
    return { ok: false, code: 'SETTINGS_ENV_MISSING', message }
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    const message = `The variable ${name} is not a valid token: it contains spaces, line breaks or non-ASCII characters.`
    return { ok: false, code: 'SETTINGS_BAD_VALUE', message }
  }
  return { ok: true, token }
}

/** Why a variable with this name isn't sent, whatever its value. */
export function refuseTokenName(
  tokenEnv: string,
  allowEnv: readonly string[],
): { code: ErrorCode; message: string } | undefined {
  if (OPEN_NAME.test(tokenEnv) || allowEnv.includes(tokenEnv)) return undefined
  const name = quoted(tokenEnv)
  const message = `The document wants to send the variable ${name} to an MCP server. Only variables named \`ARGOT_MCP_…\` are sent; allow this one with \`--allow-env ${name.slice(1, -1)}\`.`
  return { code: 'SETTINGS_ENV_NOT_ALLOWED', message }
}
