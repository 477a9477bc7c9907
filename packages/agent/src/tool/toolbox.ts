import { quoted } from '../words/quoted.ts'
import type { Tool } from './tool.ts'
import {
  fixedTools,
  isToolSource,
  type OpenToolSource,
  type ToolSource,
  type ToolSourceContext,
} from './tool-source.ts'

export interface ToolboxEntry {
  source: OpenToolSource
  name: string
}

/**
 * All tools of a run by name: nothing else is callable. A name belongs to the source that is declared first, for the
 * whole run, even while that source has no such tool: an approval for a name must not pass to another server. A source
 * never takes the name of a tool declared directly, nor a reserved one.
 */
export class Toolbox {
  /** The current tools; the same map for the whole run. */
  readonly tools: Map<string, Tool> = new Map()
  readonly #entries: readonly ToolboxEntry[]
  readonly #reserved: ReadonlySet<string>
  readonly #notice: (text: string) => void
  readonly #owners: Map<string, OpenToolSource> = new Map()

  constructor(
    entries: readonly ToolboxEntry[],
    { reserved = [], notice = () => {} }: { reserved?: Iterable<string>; notice?: (text: string) => void } = {},
  ) {
    this.#entries = entries
    this.#reserved = new Set(reserved)
    const reported = new Set<string>()
    this.#notice = text => {
      if (!reported.has(text)) notice(text)
      reported.add(text)
    }
    this.#fill()
  }

  static fromTools(tools: Iterable<Tool>): Toolbox {
    return new Toolbox([{ source: fixedTools([...tools]), name: 'tools' }])
  }

  /** Updates the tools from their sources; true if anything changed. A source that fails keeps its tools. */
  async refresh(): Promise<boolean> {
    let changed = false
    for (const { source } of this.#entries) {
      try {
        changed = (await source.refresh()) || changed
      } catch (error) {
        this.#notice(error instanceof Error ? error.message : String(error))
      }
    }
    if (changed) this.#fill()
    return changed
  }

  async close(): Promise<void> {
    await Promise.all(this.#entries.map(({ source }) => source.close()))
  }

  #fill(): void {
    this.tools.clear()
    const fixed = this.#entries.filter(({ source }) => source.isFixed === true)
    const fixedNames = new Set(fixed.flatMap(({ source }) => source.tools.map(tool => tool.name)))
    for (const { source, name: from } of this.#entries) {
      for (const tool of source.tools) {
        const { name } = tool
        if (source.isFixed === true) {
          if (!this.tools.has(name)) this.tools.set(name, tool)
          continue
        }
        const isTaken = fixedNames.has(name) || this.#reserved.has(name) || this.tools.has(name)
        if (isTaken || (this.#owners.get(name) ?? source) !== source) {
          this.#notice(`The tool ${quoted(name)} from ${quoted(from)} is left out: its name is taken.`)
          continue
        }
        this.#owners.set(name, source)
        this.tools.set(name, tool)
      }
    }
  }
}

/** Opens the sources among the tools in parallel. If one can't be opened, closes the others and throws its error. */
export async function openToolbox(
  sources: readonly (Tool | ToolSource)[],
  context: ToolSourceContext,
): Promise<Toolbox> {
  const opening = sources.map(async (one): Promise<ToolboxEntry> => {
    return { source: isToolSource(one) ? await one.open(context) : fixedTools([one]), name: one.name }
  })
  const results = await Promise.allSettled(opening)
  const entries = results.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []))
  const toolbox = new Toolbox(entries, { notice: context.notice })
  const failed = results.find(one => one.status === 'rejected')
  if (failed === undefined) return toolbox
  await toolbox.close()
  throw failed.reason
}
