import { spawn } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..')
const bin = join(root, 'packages/cli/src/bin.ts')

export interface Result {
  status: number
  stdout: string
  stderr: string
}

/** Runs the real command in a process of its own. */
export function argot(
  args: readonly string[],
  options: { input?: string; cwd?: string; env?: Record<string, string> } = {},
): Promise<Result> {
  const tsx = join(root, 'node_modules/tsx/dist/esm/index.mjs')
  const child = spawn(process.execPath, ['--conditions=@argot/source', '--import', tsx, bin, ...args], {
    cwd: options.cwd ?? root,
    env: { PATH: process.env.PATH ?? '', ...options.env },
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', text => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', text => (stderr += text))
  child.stdin.on('error', () => {})
  child.stdin.end(options.input ?? '')
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', status => resolve({ status: status ?? -1, stdout, stderr }))
  })
}

/** A fresh folder with these files. */
export async function folderWith(files: Record<string, string | Uint8Array>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'argot-cli-'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return folder
}
