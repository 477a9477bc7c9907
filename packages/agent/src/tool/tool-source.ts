import type { Tool } from './tool.ts'

/** Tools that come from somewhere else, such as an MCP server. Opened by a run, and closed when it is over. */
export interface ToolSource {
  /** What it is called in messages. */
  readonly name: string
  /** Connects, and gives the tools. Throws a `ToolFailure` that says in one sentence what is wrong. */
  open(context: ToolSourceContext): Promise<OpenToolSource>
}

/** What a run tells the sources of its tools. */
export interface ToolSourceContext {
  env: Readonly<Record<string, string | undefined>>
  /** Says something to the user: a tool was left out, and why. */
  notice: (text: string) => void
  signal?: AbortSignal | undefined
  /** How many runs there are around its calls, this one included; 1 by default. */
  depth?: number | undefined
}

export interface OpenToolSource {
  readonly tools: readonly Tool[]
  /** Its tools were named here, not by somebody else: their names go before those that a server gives. */
  readonly isFixed?: true
  /** Takes what has changed since the last time; true if anything has. */
  refresh(): Promise<boolean>
  /** Ends the connection, and what was started for it. Does not throw, and may be called twice. */
  close(): Promise<void>
}

/** Tools that are there already, and need nothing to be ended; with the description of whoever offers them. */
export function fixedTools(tools: readonly Tool[], description?: string): OpenToolSource {
  return {
    tools: description === undefined ? tools : tools.map(tool => ({ ...tool, description })),
    isFixed: true,
    refresh: () => Promise.resolve(false),
    close: () => Promise.resolve(),
  }
}

/** True for a source of tools, false for a tool. */
export function isToolSource(value: Tool | ToolSource): value is ToolSource {
  return 'open' in value && typeof value.open === 'function'
}
