/** The part of JSON Schema that Argot reads. */
export interface JsonSchema {
  type?: string | readonly string[]
  description?: string
  properties?: Readonly<Record<string, JsonSchema | boolean>>
  required?: readonly string[]
  items?: JsonSchema | boolean
  enum?: readonly unknown[]
  const?: unknown
  examples?: readonly unknown[]
  default?: unknown
  additionalProperties?: JsonSchema | boolean
  [keyword: string]: unknown
}

/** What running a tool does to the world. Approvals and early starts depend on it. */
export type ToolEffect = 'read' | 'write' | 'exec' | 'net'

/** A tool as the model sees it. */
export interface ToolDefinition {
  name: string
  title?: string
  description?: string
  inputSchema: JsonSchema
  effect?: ToolEffect
  /** Makes the provider enforce the schema, if it can. */
  strict?: boolean
}
