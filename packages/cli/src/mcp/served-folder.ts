import { join } from 'node:path'
import type { RunOptions, Store } from '@argot/agent'
import { type DocumentCard, readDocumentCard } from '@argot/agent/internal'
import { ArgotError } from '@argot/core'
import { documentPath, isDocument, realDocument } from '@argot/server/internal'
import { nameTools } from './name-tools.ts'

export interface ServedTool {
  name: string
  path: string
  card: DocumentCard
}

/** More tools don't help any model. */
const MOST_TOOLS = 512
/** Longer documents are resources, but neither tools nor prompts. */
const PROMPT_BYTES = 1024 * 1024
const RESOURCE_BYTES = 4 * 1024 * 1024
/** Where calls are stored. Documents in it are never tools. */
const chats = 'chats/'

/**
 * A folder's documents, and which of them are tools and prompts. Every request reads the disk, so edits take effect.
 */
export class ServedFolder {
  readonly root: string
  readonly store: Store
  readonly #run: RunOptions
  readonly #notice: (text: string) => void
  readonly #notices = new Set<string>()
  #reading: Promise<ServedTool[]> | undefined
  #nextReading: Promise<ServedTool[]> | undefined

  constructor(store: Store & { readonly root: string }, run: RunOptions, notice: (text: string) => void) {
    this.root = store.root
    this.store = store
    this.#run = run
    this.#notice = notice
  }

  list(): Promise<string[]> {
    return this.store.documents.list()
  }

  /** Only one request reads the folder at a time. Requests that arrive meanwhile share the next read. */
  tools(): Promise<ServedTool[]> {
    if (this.#reading === undefined) {
      this.#reading = this.#readTools().finally(() => {
        this.#reading = undefined
      })
      return this.#reading
    }
    this.#nextReading ??= this.#reading
      .catch(() => {})
      .then(() => {
        this.#nextReading = undefined
        return this.tools()
      })
    return this.#nextReading
  }

  async #readTools(): Promise<ServedTool[]> {
    const tools: ServedTool[] = []
    for (const [name, path] of await this.#names()) {
      const tool = await this.#open(name, path).catch((error: unknown) => this.#leaveOut(path, error))
      if (tool !== undefined) tools.push(tool)
    }
    return tools
  }

  /** Undefined for an unknown tool. Throws an `ArgotError` for a document that can't run. */
  async find(name: string): Promise<ServedTool | undefined> {
    const path = (await this.#names()).get(name)
    return path === undefined ? undefined : this.#open(name, path)
  }

  async toolNames(): Promise<string[]> {
    return [...(await this.#names()).keys()]
  }

  /** Reads a document's text. Throws for links and for anything that isn't a document in the folder. */
  async read(path: string, most: number = RESOURCE_BYTES): Promise<{ file: string; text: string }> {
    const checkedPath = documentPath(this.root, path)
    const file = join(this.root, checkedPath)
    if (!isDocument(file) || realDocument(this.root, checkedPath) !== checkedPath) {
      throw new ArgotError('SERVER_NOT_FOUND', `There is no document \`${path.slice(0, 200)}\`.`)
    }
    const { text } = await this.store.documents.read(checkedPath, { most })
    return { file, text }
  }

  async #names(): Promise<Map<string, string>> {
    const paths = (await this.list()).filter(path => !path.startsWith(chats))
    if (paths.length > MOST_TOOLS) {
      this.#say(`The folder has ${paths.length} documents. Only the first ${MOST_TOOLS} can be tools.`)
    }
    return nameTools(paths.slice(0, MOST_TOOLS))
  }

  /** A document is a tool if it has parameters, or if it has no answer yet. */
  async #open(name: string, path: string): Promise<ServedTool | undefined> {
    const card = await readDocumentCard(await this.read(path, PROMPT_BYTES), this.#run)
    return card.params.length > 0 || !card.isAnswered ? { name, path, card } : undefined
  }

  #leaveOut(path: string, error: unknown): undefined {
    this.#say(`${path} is skipped: ${error instanceof Error ? error.message : String(error)}`)
  }

  #say(text: string): void {
    if (!this.#notices.has(text)) this.#notice(text)
    this.#notices.add(text)
  }
}
