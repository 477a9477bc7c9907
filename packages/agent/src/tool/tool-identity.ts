import { createHash, randomUUID } from 'node:crypto'
import { stableJson } from '../words/stable-json.ts'
import type { Tool } from './tool.ts'

const identities = new WeakMap<object, string>()

/** A tool whose schema, description or boundary has changed is a different one, even under the same name. */
export function getToolIdentity(tool: Partial<Tool>): string {
  const cached = identities.get(tool)
  if (cached !== undefined) return cached
  const identity = createIdentity(tool)
  identities.set(tool, identity)
  return identity
}

function createIdentity(tool: Partial<Tool>): string {
  const { origin, name, aliasOf, title, description, inputSchema, effect, boundary, client } = tool
  try {
    const declaration = [origin, name, aliasOf, title, description, inputSchema, effect, boundary, client]
    return createHash('sha256').update(stableJson(declaration)).digest('base64url')
  } catch {
    // A schema that can't be serialized only equals itself.
    return randomUUID()
  }
}
