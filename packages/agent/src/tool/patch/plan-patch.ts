import type { Stats } from 'node:fs'
import { lstat, stat } from 'node:fs/promises'
import { normalize, resolve } from 'node:path'
import { defined } from '@argot/core/stream/internal'
import { openFile } from '../../files/local-file.ts'
import type { Workspace } from '../../files/workspace.ts'
import { toMessage } from '../../words/to-message.ts'
import { ToolFailure } from '../../words/tool-failure.ts'
import { LineEditor } from './line-editor.ts'
import { SearchBudget } from './line-index.ts'
import type { PatchSection } from './parse-patch.ts'
import { joinText, splitText, type TextLines } from './text-lines.ts'
import { type Diff, writeDiff } from './write-diff.ts'

export type PlannedChange = { real: string; diff: Diff } & (
  | { operation: 'add'; text: string }
  | { operation: 'update'; text: string; original: string }
  | { operation: 'delete' }
  | { operation: 'move'; text: string; from: string; mode: number }
)

interface PlannedFile {
  real: string
  kind: PlannedChange['operation'] | 'target'
  mode: number
  /** Missing for an added file, and for a deleted file that is not text. */
  original?: { text: string; split: TextLines; editor: LineEditor }
  added?: readonly string[]
  moveTo?: string
}

/** Larger files can't be patched: the whole file is held in memory, before and after. */
const FILE_BYTES = 16 * 1024 * 1024

/** Plans what a patch does to every file. Throws a `ToolFailure` unless all of it can be done. Writes nothing. */
export async function planPatch(sections: readonly PatchSection[], workspace: Workspace): Promise<PlannedChange[]> {
  const plan = new PatchPlan(workspace)
  for (const section of sections) {
    if (section.kind === 'add') await plan.add(section.path, section.lines)
    else if (section.kind === 'delete') await plan.delete(section.path)
    else await plan.update(section)
  }
  return plan.finish()
}

class PatchPlan {
  readonly #workspace: Workspace
  readonly #budget = new SearchBudget()
  /** By real path, in the order of the patch. */
  readonly #files = new Map<string, PlannedFile>()
  /** The real paths of the named files, because a file that is only planned can't be located. */
  readonly #realPaths = new Map<string, string>()

  constructor(workspace: Workspace) {
    this.#workspace = workspace
  }

  async add(path: string, lines: readonly string[]): Promise<void> {
    const real = await this.#locateNew(path)
    const earlier = this.#files.get(real)
    if (earlier?.kind === 'delete' && earlier.original !== undefined) {
      earlier.kind = 'update'
      earlier.original.editor.replaceAll(lines)
      return
    }
    if (earlier !== undefined) throw this.#twice(path)
    if (await exists(real)) throw conflict(path, 'already exists. Change it with `*** Update File:`.')
    this.#files.set(real, { real, kind: 'add', mode: 0, added: lines })
  }

  async delete(path: string): Promise<void> {
    const real = await this.#locate(path)
    if (this.#files.has(real)) throw this.#twice(path)
    await this.#refuseLink(path, 'deleted')
    const file = await this.#checkFile(real, path)
    await this.#workspace.locateNew(this.#workspace.show(real))
    const original = await this.#read(real, path, file).catch(() => undefined)
    this.#files.set(real, { real, kind: 'delete', mode: file.mode, ...defined({ original }) })
  }

  async update(section: Extract<PatchSection, { kind: 'update' }>): Promise<void> {
    const { path, hunks, moveTo } = section
    const real = await this.#locate(path)
    const file = this.#files.get(real) ?? (await this.#open(real, path))
    if (file.kind !== 'update' || file.original === undefined) throw this.#twice(path)
    file.original.editor.apply(hunks, path)
    if (moveTo !== undefined) await this.#move(file, path, moveTo)
  }

  async #open(real: string, path: string): Promise<PlannedFile> {
    const target = await this.#checkFile(real, path)
    // A readable file may still be protected.
    await this.#workspace.locateNew(this.#workspace.show(real))
    const file: PlannedFile = {
      real,
      kind: 'update',
      mode: target.mode,
      original: await this.#read(real, path, target),
    }
    this.#files.set(real, file)
    return file
  }

  async #move(file: PlannedFile, path: string, moveTo: string): Promise<void> {
    const target = await this.#locateNew(moveTo)
    if (target === file.real) return
    if (this.#files.has(target)) throw this.#twice(moveTo)
    if (await exists(target)) throw conflict(moveTo, `already exists, so ${path} cannot be moved there.`)
    await this.#refuseLink(path, 'moved')
    file.kind = 'move'
    file.moveTo = target
    this.#files.set(target, { real: target, kind: 'target', mode: file.mode })
  }

  finish(): PlannedChange[] {
    return [...this.#files.values()].flatMap(file => finishFile(file) ?? [])
  }

  async #locate(path: string): Promise<string> {
    return this.#remember(path, () => this.#workspace.locate(path))
  }

  async #locateNew(path: string): Promise<string> {
    return this.#remember(path, () => this.#workspace.locateNew(path))
  }

  async #remember(path: string, find: () => Promise<string>): Promise<string> {
    const name = normalize(path)
    const cached = this.#realPaths.get(name)
    if (cached !== undefined) return cached
    const real = await find()
    this.#realPaths.set(name, real)
    return real
  }

  /** Otherwise the link's target would be removed instead of the link. */
  async #refuseLink(path: string, verb: string): Promise<void> {
    const stats = await lstat(resolve(this.#workspace.root, path)).catch(() => undefined)
    if (stats?.isSymbolicLink() !== true) return
    throw conflict(path, `is a symbolic link and can't be ${verb}. Name the file it points to.`)
  }

  async #checkFile(real: string, path: string): Promise<Stats> {
    const stats = await stat(real).catch(error => {
      throw conflict(path, `cannot be read: ${describeError(error)}`)
    })
    if (!stats.isFile()) throw conflict(path, `is ${stats.isDirectory() ? 'a folder' : 'not a regular file'}.`)
    return stats
  }

  async #read(real: string, path: string, { size }: Stats): Promise<NonNullable<PlannedFile['original']>> {
    if (size > FILE_BYTES) throw conflict(path, 'is larger than 16 MiB, which is too large for a patch.')
    const bytes = await readRegular(real, path).catch(error => {
      throw conflict(path, `cannot be read: ${describeError(error)}`)
    })
    let text: string
    try {
      text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    } catch {
      throw conflict(path, 'is not text in UTF-8.')
    }
    if (text.includes('\0')) throw conflict(path, 'is binary: it contains a NUL character.')
    const split = splitText(text)
    return { text, split, editor: new LineEditor(split.lines, this.#budget) }
  }

  #twice(path: string): ToolFailure {
    const message = 'has two conflicting sections in this patch. Put all changes to a file into one section.'
    return conflict(path, message)
  }
}

function finishFile(file: PlannedFile): PlannedChange | undefined {
  const { real, kind, original, added = [] } = file
  if (kind === 'target') return undefined
  if (kind === 'add') {
    const text = added.map(line => `${line}\n`).join('')
    return {
      operation: 'add',
      real,
      text,
      diff: writeDiff(
        [],
        added,
        added.map(() => -1),
      ),
    }
  }
  if (kind === 'delete') return { operation: 'delete', real, diff: writeDiff(original?.split.lines ?? [], [], []) }
  const { text: before, split, editor } = original!
  editor.settle()
  const text = joinText(split, editor.lines, editor.origins)
  const diff = writeDiff(split.lines, editor.lines, editor.origins)
  if (file.moveTo === undefined) return { operation: 'update', real, text, original: before, diff }
  return { operation: 'move', real: file.moveTo, from: real, text, mode: file.mode, diff }
}

/** Doesn't wait for a pipe, and doesn't follow a link that replaced the file or a folder above it. */
async function readRegular(real: string, path: string): Promise<Buffer> {
  const { file } = await openFile(real, path)
  try {
    return await file.readFile()
  } finally {
    await file.close()
  }
}

async function exists(real: string): Promise<boolean> {
  return lstat(real).then(
    () => true,
    () => false,
  )
}

function conflict(path: string, problem: string): ToolFailure {
  return new ToolFailure('TOOL_PATCH_CONFLICT', `${path} ${problem} Nothing was changed.`)
}

function describeError(error: unknown): string {
  return toMessage(error)
}
