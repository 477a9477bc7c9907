import { realpathSync } from 'node:fs'
import { lstat, readdir, readlink, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { nearestNames } from '@argot/core/stream/internal'
import { quoted } from '../words/quoted.ts'
import { ToolFailure } from '../words/tool-failure.ts'
import { decodeUtf8 } from './decode-text.ts'
import { type EditorFiles, type ReadableFile, textFile } from './editor-files.ts'
import { explainProtection } from './explain-protection.ts'
import {
  describeKind,
  isInside,
  listCandidates,
  openFile,
  type PathResolution,
  readBytes,
  resolveLinks,
} from './local-file.ts'
import { extendFile, removeFile, replaceFile } from './replace-file.ts'
import { toToolFailure } from './to-tool-failure.ts'

export interface WorkspaceOptions {
  /** The folders that tools may use. Relative paths start at the first. */
  roots: readonly string[]
  /** Files and folders (with everything in them) that may be read but never changed. */
  protectedPaths?: readonly string[]
  /** Reads and writes go through the editor as far as it supports them, after all checks. */
  editor?: EditorFiles | undefined
}

/**
 * The part of the disk that tools may use. Paths come from a model: symbolic links are resolved before any decision,
 * and refusals are `ToolFailure`s worded for the model.
 */
export interface Workspace {
  /** The first root, as a real path. */
  readonly root: string
  /** The real path of an existing file or folder. A relative path is tried in all roots, in order. */
  locate(path: string): Promise<string>
  /** The real path of a writable file, whether it exists or not; its folder may be missing too. */
  locateNew(path: string): Promise<string>
  /** Opens a file for reading; the caller closes it. */
  open(path: string, signal?: AbortSignal): Promise<ReadableEntry>
  /** The text of a file of at most `limit` bytes, with byte order mark and line endings unchanged. */
  read(path: string, limit: number, signal?: AbortSignal): Promise<string>
  /** Creates or replaces a file, and creates the folders above it. Takes a path from `locateNew`. */
  write(real: string, text: string): Promise<void>
  /** Appends to a file, or creates it. Takes a path from `locateNew`. */
  append(real: string, text: string): Promise<void>
  /** Removes a file. Takes a path from `locateNew`. */
  remove(real: string): Promise<void>
  /** Runs `work` after all earlier work on the same file, so that no change gets lost. */
  alone<T>(real: string, work: () => Promise<T>): Promise<T>
  /** A real path as tools show it: relative to the first root if it is inside. */
  show(real: string): string
}

export interface ReadableEntry {
  file: ReadableFile
  size: number
}

/** Creates a workspace from existing folders. */
export function createWorkspace(options: WorkspaceOptions): Workspace {
  return new DiskWorkspace(options)
}

/** Files with a second hard link or in an editor are rewritten to append to them. Larger ones are refused. */
const REWRITE_BYTES = 10 * 1024 * 1024
/** Larger files are read from the disk, even if an editor has them open. */
const EDITOR_BYTES = 10 * 1024 * 1024

class DiskWorkspace implements Workspace {
  readonly root: string
  readonly #roots: readonly string[]
  readonly #protected: readonly string[]
  readonly #editor: EditorFiles
  readonly #queues = new Map<string, Promise<unknown>>()

  constructor({ roots, protectedPaths = [], editor = {} }: WorkspaceOptions) {
    this.#editor = editor
    this.#roots = [...new Set(roots.map(realFolder))]
    this.root = this.#roots[0] ?? realFolder('.')
    this.#protected = protectedPaths.map(path => resolve(path))
  }

  async locate(path: string): Promise<string> {
    let outside = false
    let nearest: PathResolution | undefined
    for (const place of await translate(() => listCandidates(path, this.#roots))) {
      const resolution = await translate(() => resolveLinks(place, path))
      const inside = this.#isInside(resolution.real)
      if (inside && resolution.missing.length === 0) return resolution.real
      outside ||= !inside
      if (inside) nearest ??= resolution
    }
    if (outside || nearest === undefined) throw this.#outside(path)
    throw await this.#notFound(path, nearest)
  }

  async locateNew(path: string): Promise<string> {
    const [place = this.root] = await translate(() => listCandidates(path, [this.root]))
    const resolution = await translate(() => resolveLinks(place, path))
    const { real, existing, missing } = resolution
    if (!this.#isInside(real)) throw this.#outside(path)
    await this.#refuseProtected(real, path)
    const [first] = missing
    if (first === undefined) {
      const what = describeKind(await stat(real))
      if (what !== 'a file') throw unwritable(`${quoted(path)} is ${what}, not a file.`)
      return real
    }
    await this.#refuseDangling(join(existing, first), path)
    const what = describeKind(await stat(existing))
    if (what !== 'a folder')
      throw unwritable(`${quoted(this.show(existing))} is ${what}, so nothing can be created in it.`)
    return real
  }

  async open(path: string, signal?: AbortSignal): Promise<ReadableEntry> {
    const real = await this.locate(path)
    const { file, stats } = await translate(() => openFile(real, this.show(real)))
    const text = stats.size > EDITOR_BYTES ? undefined : await this.#editor.read?.(real, signal)
    if (text === undefined) return { file, size: stats.size }
    await file.close()
    return { file: textFile(text), size: Buffer.byteLength(text) }
  }

  async read(path: string, limit: number, signal?: AbortSignal): Promise<string> {
    const real = await this.locate(path)
    const name = this.show(real)
    return translate(async () => {
      const bytes = await readBytes(real, name, limit, signal)
      const text = decodeUtf8(bytes, { name, keepBom: true, allowNul: false })
      const edited = bytes.length > EDITOR_BYTES ? undefined : await this.#editor.read?.(real, signal)
      return edited === undefined || Buffer.byteLength(edited) > limit ? text : edited
    })
  }

  async write(real: string, text: string): Promise<void> {
    await this.#refuseMoved(real)
    if (this.#editor.write === undefined) return replaceFile(real, text, this.show(real))
    await this.#editor.write(real, text)
  }

  async append(real: string, text: string): Promise<void> {
    await this.#refuseMoved(real)
    const name = this.show(real)
    const exists = await lstat(real).then(
      () => true,
      () => false,
    )
    // An editor has the whole text, possibly unsaved.
    if (this.#editor.write !== undefined) {
      return this.#editor.write(real, (exists ? await this.read(real, REWRITE_BYTES) : '') + text)
    }
    if (!exists) return replaceFile(real, text, name)
    // The file's other hard link may have a protected name, and must not grow with it.
    if (await extendFile(real, text, name)) return
    return replaceFile(real, (await this.read(real, REWRITE_BYTES)) + text, name)
  }

  async remove(real: string): Promise<void> {
    await this.#refuseMoved(real)
    await removeFile(real, this.show(real))
  }

  async alone<T>(real: string, work: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(real)
    const done = (before ?? Promise.resolve()).then(work, work)
    this.#queues.set(real, done)
    try {
      return await done
    } finally {
      if (this.#queues.get(real) === done) this.#queues.delete(real)
    }
  }

  show(real: string): string {
    return isInside(this.root, real) ? relative(this.root, real) || '.' : real
  }

  #isInside(real: string): boolean {
    return this.#roots.some(root => isInside(root, real))
  }

  async #refuseMoved(real: string): Promise<void> {
    if ((await this.locateNew(real)) === real) return
    throw unwritable(`${quoted(this.show(real))} has become a symbolic link meanwhile.`)
  }

  async #refuseProtected(real: string, path: string): Promise<void> {
    for (const one of this.#protected) {
      const { real: protectedReal } = await translate(() => resolveLinks(one, one))
      if (!isInside(protectedReal, real)) continue
      const message = `${quoted(path)} belongs to the running document, which no tool may change.`
      throw new ToolFailure('TOOL_PATH_PROTECTED', `${message} Write to a different file.`)
    }
    const root = this.#roots.filter(one => isInside(one, real)).sort((a, b) => b.length - a.length)[0] ?? this.root
    const guard = await explainProtection(real, root)
    if (guard === undefined) return
    const message = `${quoted(path)} was not changed: ${guard}, so no tool may write it.`
    throw new ToolFailure('TOOL_PATH_PROTECTED', `${message} Tell the user what the file should contain.`)
  }

  /** `place` is a real path that leads to nothing: either nothing is there, or a dangling link. */
  async #refuseDangling(place: string, path: string): Promise<void> {
    const target = await readlink(place).catch(() => undefined)
    if (target === undefined) return
    const { real } = await translate(() => resolveLinks(resolve(dirname(place), target), path))
    if (!this.#isInside(real)) throw this.#outside(path)
    throw unwritable(`${quoted(this.show(place))} is a symbolic link to a file that does not exist.`)
  }

  #outside(path: string): ToolFailure {
    const roots = this.#roots.slice(0, 5).map(quoted).join(', ')
    const message = `${quoted(path)} is outside the folders that tools may use. Use a path inside ${roots}.`
    return new ToolFailure('TOOL_PATH_OUTSIDE', message)
  }

  async #notFound(path: string, { existing, missing }: PathResolution): Promise<ToolFailure> {
    const [missingName = ''] = missing
    const names = await readdir(existing).catch(() => [])
    const near = nearestNames(missingName, names).map(name => quoted(this.show(join(existing, name))))
    const hint =
      near.length > 0
        ? `Did you mean ${near.join(' or ')}?`
        : names.length > 0
          ? `${quoted(this.show(existing))} has ${names.toSorted().slice(0, 5).map(quoted).join(', ')}${names.length > 5 ? ' and more' : ''}.`
          : 'Correct the path.'
    return new ToolFailure('TOOL_FILE_NOT_FOUND', `${quoted(path)} does not exist. ${hint}`)
  }
}

function realFolder(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return resolve(path)
  }
}

function unwritable(message: string): ToolFailure {
  return new ToolFailure('TOOL_FILE_UNWRITABLE', `${message} Choose another path.`)
}

async function translate<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toToolFailure(error)
  }
}
