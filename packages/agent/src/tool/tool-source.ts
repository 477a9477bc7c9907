import type { Tool } from './tool.ts'

/** Tools from elsewhere, such as an MCP server. A run opens the source, and closes it when it is over. */
export interface ToolSource {
  readonly name: string
  /** Throws a `ToolFailure` that says in one sentence what is wrong. */
  open(context: ToolSourceContext): Promise<OpenToolSource>
}

export interface ToolSourceContext {
  env: Readonly<Record<string, string | undefined>>
  /** Tells the user something, such as why a tool was skipped. */
  notice: (text: string) => void
  signal?: AbortSignal | undefined
  /** How many runs there are around its calls, this one included; 1 by default. */
  depth?: number | undefined
}

export interface OpenToolSource {
  readonly tools: readonly Tool[]
  /** Its tools were named here, not by a server: their names take precedence over a server's. */
  readonly isFixed?: true
  /** Updates the tools; true if anything has changed. */
  refresh(): Promise<boolean>
  /** Closes the connection and ends what was started for it. Doesn't throw, and may be called twice. */
  close(): Promise<void>
}

/** Tools that already exist and need no cleanup, with a description from their provider. */
export function fixedTools(tools: readonly Tool[], description?: string): OpenToolSource {
  return {
    tools: description === undefined ? tools : tools.map(tool => ({ ...tool, description })),
    isFixed: true,
    refresh: () => Promise.resolve(false),
    close: () => Promise.resolve(),
  }
}

export function isToolSource(value: Tool | ToolSource): value is ToolSource {
  return 'open' in value && typeof value.open === 'function'
}
