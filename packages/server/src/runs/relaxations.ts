import { randomBytes } from 'node:crypto'
import { realpathSync, statSync } from 'node:fs'
import { isAbsolute, join, relative, sep } from 'node:path'
import { ArgotError } from '@argot/core'
import { documentPath } from '../guard/document-path.ts'
import { notFound, Problem } from '../guard/problem.ts'

const RELAX_MS = 60 * 60_000
/** How long an offer is valid, and how many there are at a time. */
const OFFER_MS = 10 * 60_000
const MOST_OFFERS = 200
const MOST_FOLDERS = 50

interface RelaxedFolder {
  /** The client's name for it: relative to the served folder, `''` for the served folder itself. */
  name: string
  until: number
}

export interface RelaxationsOptions {
  root: string
  now: () => number
  notice: (text: string) => void
}

/**
 * The folders whose calls run without a question for an hour. Kept in memory only: they end after an hour, with `end`,
 * and with the server. Each offer can be used once, so replaying a recorded request does nothing.
 */
export class Relaxations {
  readonly #options: RelaxationsOptions
  /** By real path. */
  readonly #folders: Map<string, RelaxedFolder> = new Map()
  readonly #offers: Map<string, number> = new Map()

  constructor(options: RelaxationsOptions) {
    this.#options = options
  }

  offer(): string {
    const { now } = this.#options
    for (const [key, until] of this.#offers) {
      if (until <= now() || this.#offers.size >= MOST_OFFERS) this.#offers.delete(key)
    }
    const key = randomBytes(18).toString('base64url')
    this.#offers.set(key, now() + OFFER_MS)
    return key
  }

  /**
   * Relaxes approvals in a folder. Throws if the offer isn't valid, if the folder doesn't exist or doesn't contain the
   * document, and if too many folders are relaxed.
   */
  start(request: { folder: string; document: string; key: string; client: string }): { folder: string; until: number } {
    const { root, now, notice } = this.#options
    const { folder, document, key, client } = request
    const end = this.#offers.get(key)
    this.#offers.delete(key)
    if (end === undefined || end <= now()) {
      const message = 'This offer was used or withdrawn, or has expired. Reload the page and choose it again.'
      throw new Problem(409, 'SERVER_NOT_RELAXED', message)
    }
    const real = this.#realFolder(folder)
    if (!isInside(real, realpathSync(join(root, document)))) {
      throw new Problem(409, 'SERVER_NOT_RELAXED', 'The document is not in this folder.')
    }
    this.list()
    if (this.#folders.size >= MOST_FOLDERS && !this.#folders.has(real)) {
      throw new Problem(
        409,
        'SERVER_NOT_RELAXED',
        `Approvals are already relaxed in ${MOST_FOLDERS} folders. End one first.`,
      )
    }
    const until = now() + RELAX_MS
    this.#folders.set(real, { name: folder, until })
    notice(`Approvals in \`${real}\` are relaxed until ${new Date(until).toISOString()}, requested by ${client}.`)
    return { folder, until }
  }

  /** Ends the relaxation in one folder, and withdraws every offer. */
  end(folder: string, client: string): void {
    this.#offers.clear()
    for (const [real, { name }] of this.#folders) {
      if (name !== folder) continue
      this.#folders.delete(real)
      this.#options.notice(`Approvals in \`${real}\` ask again: ${client} ended it.`)
    }
  }

  list(): { folder: string; until: number }[] {
    for (const [real, { until }] of this.#folders) {
      if (until > this.#options.now()) continue
      this.#folders.delete(real)
      this.#options.notice(`Approvals in \`${real}\` ask again: the hour is over.`)
    }
    return Array.from(this.#folders.values(), ({ name, until }) => ({ folder: name, until }))
  }

  /** The relaxation that applies to a document's calls now: the widest folder around it. */
  find(document: string): { folder: string; until: number } | undefined {
    if (this.list().length === 0) return undefined
    const file = realFile(join(this.#options.root, document))
    let widest: { folder: string; until: number } | undefined
    for (const [folder, { until }] of file === undefined ? [] : this.#folders) {
      if (!isInside(folder, file!)) continue
      if (widest === undefined || folder.length < widest.folder.length) widest = { folder, until }
    }
    return widest
  }

  #realFolder(folder: string): string {
    const { root } = this.#options
    if (folder !== '') documentPath(root, `${folder}/a.chatmd`)
    const path = join(root, folder)
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw notFound('such folder')
    return realpathSync(path)
  }
}

/** Throws if another process may run calls, because it doesn't know this process's memory. */
export function requireOneProcess(isAlone: boolean): void {
  if (isAlone) return
  const message =
    'Only a server that serves a folder and runs its documents itself can relax approvals. With a database or workers, leave out `--allow-relax`.'
  throw new ArgotError('SERVER_NOT_RELAXED', message)
}

function realFile(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

function isInside(folder: string, path: string): boolean {
  const relativePath = relative(folder, path)
  return relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath)
}
