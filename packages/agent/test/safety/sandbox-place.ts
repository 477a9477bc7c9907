import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Sandbox, SandboxMode } from '@argot/agent/internal'
import { createShellTool, openSandbox } from '@argot/agent/workshop'
import { onTestFinished } from 'vitest'
import { callTool, toolContext } from '../tool/tool-context.ts'

export const run: (
  file: string,
  args: readonly string[],
  options?: { cwd?: string },
) => Promise<{ stdout: string; stderr: string }> = promisify(execFile)

/** A home with secrets, a project in it and a folder outside, none of them in `/tmp` or `/var/tmp`, where a sandbox has its own. */
export interface SandboxPlace {
  home: string
  project: string
  outside: string
  env: Record<string, string | undefined>
  sandbox: Sandbox
  /** Runs a script of the shell in the project as a tool does, and gives what the model reads. */
  sh(script: string, options?: { network?: boolean; timeoutMs?: number; signal?: AbortSignal }): Promise<string>
}

export const KEY = 'sk-proj-attack-0123456789abcdefghijklmnopqrst'

export async function makeSandboxPlace(
  given: {
    mode?: SandboxMode
    env?: Record<string, string | undefined>
    files?: Record<string, string>
    /** Links in the project, by what they lead to. */
    links?: Record<string, string>
    /** Paths from the project; the project itself if they are left out. */
    roots?: readonly string[]
    /** Where programs run, from the project. */
    cwd?: string
  } = {},
): Promise<SandboxPlace> {
  const top = await realpath(await mkdtemp(join(await placeOutsideOfTmp(), 'home-')))
  onTestFinished(() => rm(top, { recursive: true, force: true }))
  const [home, project, outside] = [join(top, 'me'), join(top, 'me/project'), join(top, 'me/outside')]
  const files: Record<string, string> = {
    'me/.ssh/id_ed25519': 'SECRET-SSH',
    'me/.aws/credentials': 'SECRET-AWS',
    'me/.netrc': 'SECRET-NETRC',
    'me/.config/argot/trust.json': '{"SECRET-TRUST":1}',
    'me/.bash_history': 'SECRET-HISTORY',
    'me/.cache/page.html': 'SECRET-CACHE',
    'me/outside/notes.txt': 'plain',
    'me/project/chat.chatmd': '<user>\nGo.\n</user>\n',
    'me/project/argot.config.json': '{}',
    'me/project/.chatmd/runs/chat.chatmd/1.jsonl': '{}\n',
    'me/project/.git/config': '[core]\n',
    'me/project/.git/hooks/sample': '',
    'me/project/sub/.git/config': '[core]\n',
    'me/project/.vscode/tasks.json': '{}',
    'me/project/src/main.ts': 'import { six } from "./six"\nconsole.log(six * 7)\n',
    'me/project/src/six.ts': 'export const six: number = 6\n',
  }
  for (const [name, content] of Object.entries(given.files ?? {})) files[`me/project/${name}`] = content
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(top, name)), { recursive: true })
    await writeFile(join(top, name), content)
  }
  const env = { PATH: process.env.PATH, HOME: home, OPENAI_API_KEY: KEY, ...given.env }
  for (const [name, target] of Object.entries(given.links ?? {})) await symlink(target, join(project, name))
  const sandbox = await openSandbox({
    ...{ mode: given.mode ?? 'require', env, roots: (given.roots ?? ['.']).map(root => join(project, root)) },
    protectedPaths: [join(project, 'chat.chatmd'), join(project, '.chatmd'), join(home, '.config/argot')],
  })
  const cwd = join(project, given.cwd ?? '.')
  const sh: SandboxPlace['sh'] = async (script, { network = false, timeoutMs, signal } = {}) => {
    const tool = createShellTool({
      ...{ name: 'sh', command: 'sh -c', cwd, env, sandbox, network },
      ...(timeoutMs !== undefined && { timeoutMs }),
    })
    return String((await callTool(tool, { arguments: [script] }, toolContext(signal))).output)
  }
  return { home, project, outside, env, sandbox, sh }
}

/** A folder that a sandbox does not replace by an empty one of its own, as it does with `/tmp` and `/var/tmp`. */
async function placeOutsideOfTmp(): Promise<string> {
  const checkout = join(await realpath(import.meta.dirname), '../../../..')
  const isReplaced = /^\/(?:var\/)?tmp\//.test(checkout)
  const place = isReplaced ? join(homedir(), '.argot-attacks') : join(checkout, '.attacks')
  await mkdir(place, { recursive: true })
  return place
}

/** The tests of the boundary are left out where there is none to be tried, and where somebody says so: test/setup tells. */
export const isTried: boolean = process.platform === 'linux' && !process.env.ARGOT_NO_SANDBOX

/** The command lines of all processes of this machine. */
export async function processes(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const lines = await Promise.all(pids.map(pid => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return lines.map(line => line.replaceAll('\0', ' ').trim())
}
