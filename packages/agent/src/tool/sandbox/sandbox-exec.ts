import { constants } from 'node:fs'
import { access, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { protectedNames, protectedTails } from '../../files/protected-names.ts'
import { describeClosed, describeConfined } from './describe-closed.ts'
import { hiddenPaths } from './hidden-paths.ts'
import type { Bounds, Launch, Program, Sandbox } from './sandbox.ts'

const SANDBOX_EXEC = '/usr/bin/sandbox-exec'

/** Confines programs with the macOS sandbox. Written from its documentation; not tested on a Mac. */
export async function openSandboxExec(bounds: Bounds): Promise<Sandbox | { missing: string }> {
  try {
    await access(SANDBOX_EXEC, constants.X_OK)
  } catch {
    return { missing: '`sandbox-exec` does not exist' }
  }
  return {
    kind: 'sandbox-exec',
    describe: network => describeConfined('sandbox-exec', network),
    launch: program => launch(bounds, program),
  }
}

async function launch(bounds: Bounds, { command, env, network }: Program): Promise<Launch> {
  const temporary = await realpath(await mkdtemp(join(tmpdir(), 'argot-')))
  return {
    command: [SANDBOX_EXEC, '-p', sandboxProfile(bounds, temporary, network), ...command],
    env: {
      ...env,
      TMPDIR: temporary,
      TMP: temporary,
      TEMP: temporary,
      XDG_CACHE_HOME: join(temporary, '.cache'),
      npm_config_cache: join(temporary, '.npm'),
    },
    closed: describeClosed(network),
    end: async () => {
      await rm(temporary, { recursive: true, force: true }).catch(() => {})
      return undefined
    },
  }
}

/** The rules for one program in the language of `sandbox-exec`. If two rules match, the later one applies. */
export function sandboxProfile(bounds: Bounds, temporary: string, network: boolean): string {
  const { roots, protectedPaths, env } = bounds
  const hidden = [...hiddenPaths(env), ...bounds.hiddenPaths]
  const names = [...protectedNames, ...protectedTails]
    .map(name => name.replace(/[.+*?^$()[\]{}|\\]/g, '\\$&'))
    .join('|')
  return [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    `(allow file-write* ${[...roots, temporary].map(subpath).join(' ')})`,
    '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (regex #"^/dev/fd/"))',
    `(deny file-write* (regex #"/(${names})(/|$)"))`,
    ...(protectedPaths.length === 0 ? [] : [`(deny file-write* ${protectedPaths.map(subpath).join(' ')})`]),
    `(deny file-read* file-write* ${hidden.map(subpath).join(' ')})`,
    '(deny signal (target others))',
    '(deny process-info* (target others))',
    ...(network ? [] : ['(deny network*)']),
    // Unix sockets belong to the network rules; the SSH agent's is always closed.
    ...(env.SSH_AUTH_SOCK === undefined ? [] : [`(deny network* (literal ${quote(env.SSH_AUTH_SOCK)}))`]),
  ].join('\n')
}

function subpath(path: string): string {
  return `(subpath ${quote(path)})`
}

function quote(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`
}
