/** A JSON Schema, as far as Argot looks into it. */
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

/** What running a tool does to the world; approvals and early starts depend on it. */
export type ToolEffect = 'read' | 'write' | 'exec' | 'net'

/** A tool as a model is told about it. */
export interface ToolDefinition {
  name: string
  title?: string
  description?: string
  inputSchema: JsonSchema
  effect?: ToolEffect
  /** The provider keeps the model to the schema, where it can. */
  strict?: boolean
}
