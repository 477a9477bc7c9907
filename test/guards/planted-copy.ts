import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readWorkspace, root } from './workspace.ts'

/** A copy of every package's sources, in which something may be planted, with the packages of others beside it. */
export class PlantedCopy {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'argot-planted-'))

  constructor() {
    for (const { folder } of readWorkspace()) {
      this.add(join(folder, 'src'))
      this.add(join(folder, 'package.json'))
    }
    mkdirSync(join(this.folder, 'node_modules/@argot'), { recursive: true })
    const ours = readWorkspace().map(({ manifest }) => manifest.name)
    for (const name of readdirSync(join(root, 'node_modules'))) {
      if (name !== '@argot' && !ours.includes(name)) this.#link(join(root, 'node_modules', name), name)
    }
    for (const { folder, manifest } of readWorkspace()) {
      if (manifest.name !== undefined) this.#link(join(this.folder, folder), manifest.name)
    }
    for (const name of ['tsconfig.json', 'tsconfig.base.json', 'package.json']) this.add(name)
  }

  /** Copies one more file or folder. */
  add(path: string): void {
    cpSync(join(root, path), join(this.folder, path), { recursive: true })
  }

  /** Writes a file of the repository with these replacements; each must have a place. */
  plant(path: string, replacements: readonly (readonly [string, string])[]): void {
    let source = readFileSync(join(root, path), 'utf8')
    for (const [text, by] of replacements) {
      if (!source.includes(text)) throw new Error(`${path} has no ${JSON.stringify(text)}.`)
      source = source.replace(text, () => by)
    }
    writeFileSync(join(this.folder, path), source)
  }

  /** The source files that do not compile. */
  async filesThatFail(): Promise<string[]> {
    // Several checkers would do much of the work several times, and other tests run beside this one.
    const options = ['-p', 'tsconfig.json', '--pretty', 'false', '--singleThreaded']
    const output = await this.run([join(root, 'node_modules/typescript/bin/tsc'), ...options]).catch(
      (error: { stdout: string }) => error.stdout,
    )
    return [...new Set(output.match(/^[^\s(].*?(?=\(\d+,\d+\): error)/gm) ?? [])].sort()
  }

  /** What Node prints with these arguments, in the copy. */
  async run(args: readonly string[]): Promise<string> {
    return (await promisify(execFile)(process.execPath, args, { cwd: this.folder })).stdout
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  #link(target: string, name: string): void {
    symlinkSync(target, join(this.folder, 'node_modules', name), 'dir')
  }
}
