import { createHash } from 'node:crypto'
import { dirname, resolve } from 'node:path'
import { nearestNames } from '@argot/core/stream/internal'
import { isInside, readBytes, resolveLinks } from '../../files/local-file.ts'
import { SourceError } from '../../files/source-error.ts'
import type { CommandIdentity } from '../../trust/identify-command.ts'
import { quoted } from '../../words/quoted.ts'
import { ToolFailure } from '../../words/tool-failure.ts'
import type { Tool } from '../tool.ts'
import { loadModule } from './load-module.ts'
import type { SourceProblem } from './tool-problem.ts'

export interface ToolModulesOptions {
  mayLoad: (command: string, identity: CommandIdentity) => Promise<boolean>
  /** The project's folders, as real paths. A document may only name files inside them. */
  roots: readonly string[]
  /** Only lists the tools: executes nothing. */
  listOnly: boolean
}

/** No hand-written module is larger. */
const MODULE_BYTES = 16 * 1024 * 1024

/** The modules of one run. The user is asked about each file only once, and it is executed only once. */
export class ToolModules {
  readonly #options: ToolModulesOptions
  readonly #loaded = new Map<string, Promise<Tool[] | SourceProblem>>()

  constructor(options: ToolModulesOptions) {
    this.#options = options
  }

  /** A tool from a module that a document declares; `from` is the file that declares it. */
  async getTool(module: string, name: string, from: string): Promise<Tool | SourceProblem> {
    const tools = await this.#loadTools(module, dirname(from), true)
    if (!Array.isArray(tools)) return tools
    const tool = tools.find(one => one.name === name)
    if (tool !== undefined) return tool
    const names = tools.map(one => one.name)
    const [nearest] = nearestNames(name, names, 1)
    const hint = nearest === undefined ? `It has: ${names.join(', ')}.` : `Did you mean ${quoted(nearest)}?`
    const message = `${quoted(module)} exports no tool ${quoted(name)}.`
    return { code: 'TOOL_BAD_MODULE', message, cure: hint, canBeLeftOut: false }
  }

  /** Why a document may not name this file. Executes nothing. */
  async findProblem(module: string, from: string): Promise<SourceProblem | undefined> {
    const tools = await this.#locate(module, dirname(from), true)
    return typeof tools === 'string' ? undefined : tools
  }

  getAllTools(module: string, cwd: string): Promise<Tool[] | SourceProblem> {
    return this.#loadTools(module, cwd, false)
  }

  async #loadTools(module: string, folder: string, isConfined: boolean): Promise<Tool[] | SourceProblem> {
    const path = await this.#locate(module, folder, isConfined)
    if (typeof path !== 'string') return path
    const cached = this.#loaded.get(path)
    if (cached !== undefined) return cached
    const loading = this.#load(path, module)
    this.#loaded.set(path, loading)
    return loading
  }

  async #locate(module: string, folder: string, isConfined: boolean): Promise<string | SourceProblem> {
    const place = await resolveLinks(resolve(folder, module), module).catch(() => undefined)
    // A path outside is refused whether it exists or not, so that a document can't probe the disk.
    if (isConfined && place !== undefined && !this.#options.roots.some(root => isInside(root, place.real))) {
      const message = `${quoted(module)} is outside the folders of this run.`
      return broken(message, 'Allow its folder with --allow-path, or move the file.')
    }
    if (place === undefined || place.missing.length > 0)
      return broken(`There is no file ${quoted(module)}.`, 'Check the path.')
    return place.real
  }

  async #load(path: string, module: string): Promise<Tool[] | SourceProblem> {
    if (this.#options.listOnly) {
      const message = `The tools of ${quoted(module)} are not listed: listing doesn't execute anything.`
      return { code: 'TOOL_NOT_AVAILABLE', message, cure: 'Run the document to use them.', canBeLeftOut: true }
    }
    const bytes = await readBytes(path, module, MODULE_BYTES).catch((error: unknown) => {
      if (error instanceof SourceError) return error
      throw error
    })
    if (bytes instanceof SourceError) return broken(bytes.message, 'Name a file of JavaScript.')
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const identity = { program: process.execPath, files: [{ path, sha256 }] }
    if (!(await this.#options.mayLoad(`module:${path}`, identity))) {
      const message = `The tools of ${quoted(module)} are left out: the file was not allowed for this document.`
      return { code: 'TOOL_NOT_TRUSTED', message, cure: 'Allow it with --allow-exec.', canBeLeftOut: true }
    }
    try {
      return await loadModule(path, module)
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error
      return broken(error.message, 'Fix the module.')
    }
  }
}

function broken(message: string, cure: string): SourceProblem {
  return { code: 'TOOL_BAD_MODULE', message, cure, canBeLeftOut: false }
}
