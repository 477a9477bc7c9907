import { quoted } from '../words/quoted.ts'
import type { Tool } from './tool.ts'
import type { OpenToolSource } from './tool-source.ts'

/** A tool, or a source that has some, in the order in which they are declared. */
export type ToolboxEntry = { tool: Tool } | { source: OpenToolSource; name: string }

/**
 * All tools of a run by name: nothing else is callable. A name belongs to whoever is declared first; a source never takes
 * the name of a tool that stands beside it, nor a reserved one.
 */
export class Toolbox {
  /** The tools as they are now; the same map for the whole run. */
  readonly tools: Map<string, Tool> = new Map()
  readonly #entries: readonly ToolboxEntry[]
  readonly #reserved: ReadonlySet<string>
  readonly #notice: (text: string) => void

  constructor(
    entries: readonly ToolboxEntry[],
    { reserved = [], notice = () => {} }: { reserved?: Iterable<string>; notice?: (text: string) => void } = {},
  ) {
    this.#entries = entries
    this.#reserved = new Set(reserved)
    this.#notice = notice
    this.#fill()
  }

  /** A box of tools alone. */
  static of(tools: Iterable<Tool>): Toolbox {
    return new Toolbox([...tools].map(tool => ({ tool })))
  }

  /** Takes what the sources have changed since the last time; true if anything was. A source that fails keeps what it had. */
  async refresh(): Promise<boolean> {
    let changed = false
    for (const entry of this.#entries) {
      if ('tool' in entry) continue
      try {
        changed = (await entry.source.refresh()) || changed
      } catch (error) {
        this.#notice(error instanceof Error ? error.message : String(error))
      }
    }
    if (changed) this.#fill()
    return changed
  }

  async close(): Promise<void> {
    await Promise.all(this.#entries.flatMap(entry => ('source' in entry ? [entry.source.close()] : [])))
  }

  #fill(): void {
    this.tools.clear()
    const own = new Set(this.#entries.flatMap(entry => ('tool' in entry ? [entry.tool.name] : [])))
    for (const entry of this.#entries) {
      if ('tool' in entry) {
        if (!this.tools.has(entry.tool.name)) this.tools.set(entry.tool.name, entry.tool)
        continue
      }
      for (const tool of entry.source.tools) {
        const { name } = tool
        if (own.has(name) || this.#reserved.has(name) || this.tools.has(name)) {
          this.#notice(`The tool ${quoted(name)} of ${quoted(entry.name)} is left out: the name is taken.`)
        } else this.tools.set(name, tool)
      }
    }
  }
}
