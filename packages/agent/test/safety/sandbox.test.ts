/**
 * Programs that try to leave the sandbox, as real programs. Siblings of each attack that were tried besides: a write
 * through a link and through `/proc/self/root`; a secret through a link and through the environment of every process; the
 * socket of an agent and an abstract one; a second `setsid` and a process that ignores every signal.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createShellTool, openSandbox } from '@argot/agent/workshop'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sandboxProfile } from '../../src/tool/sandbox/sandbox-exec.ts'
import { callTool } from '../tool/tool-context.ts'
import { isTried, KEY, makeSandboxPlace, processes, run } from './sandbox-place.ts'

/** A time that no other process sleeps. */
const NAP = `300.${process.pid}`

/** A process that was killed may take a moment to go, longer on a busy machine; nobody would end these but the sandbox. */
async function expectNoNap(): Promise<void> {
  const left = async () => (await processes()).filter(line => line.endsWith(`sleep ${NAP}`))
  await expect.poll(left).toEqual([])
}

describe.runIf(isTried)('a confined program', () => {
  test('this machine confines programs, or the tests of the boundary fail', async () => {
    const { sandbox } = await makeSandboxPlace({ mode: 'auto' })
    expect(sandbox.describe(false)).toContain('Confined by bwrap')
  })

  test.each([
    ['beside the project', 'echo x > ../outside/new'],
    ['over a file beside it', 'echo x > ../outside/notes.txt'],
    ['into the home folder', 'echo x > "$HOME/.bashrc"'],
    ['through the root of the process', 'echo x > "/proc/self/root$HOME/outside/new"'],
    ['through a link that it makes', 'ln -s "$HOME/outside" link; echo x > link/new'],
    ['by moving a file out', 'echo x > a; mv a "$HOME/outside/a"'],
    ['by a hard link', 'ln "$HOME/outside/notes.txt" hard && echo x > hard'],
    ['by making the disk writable again', 'mount -o remount,rw / ; echo x > "$HOME/outside/new"'],
    [
      'from a user namespace inside',
      'unshare -Urm sh -c \'mount -o remount,rw,bind / ; echo x > "$HOME/outside/new"\'',
    ],
  ])('it does not write %s', async (_, script) => {
    const { sh, outside, home } = await makeSandboxPlace()
    const output = await sh(script)
    expect(output).toMatch(/^exit [1-9]/)
    expect(await readFile(join(outside, 'notes.txt'), 'utf8')).toBe('plain')
    expect([join(outside, 'new'), join(outside, 'a'), join(home, '.bashrc')].filter(existsSync)).toEqual([])
  })

  test('nor through a link in the root that points out', async () => {
    const { sh, project, outside, home } = await makeSandboxPlace()
    await symlink(outside, join(project, 'out'))
    await symlink(join(home, '.ssh'), join(project, 'keys'))
    const output = await sh('cat keys/id_ed25519; echo x > out/notes.txt; echo x > out/new')
    expect(output).not.toContain('SECRET')
    expect(await readFile(join(outside, 'notes.txt'), 'utf8')).toBe('plain')
    expect(existsSync(join(outside, 'new'))).toBe(false)
  })

  test.each([
    ['.git/config', 'echo x >> .git/config'],
    ['.git/hooks/pre-commit', 'echo x > .git/hooks/pre-commit'],
    ['.git', 'rm -rf .git; mv .git git; rmdir .git'],
    ['sub/.git/config', 'echo x >> sub/.git/config'],
    ['argot.config.json', 'echo x > argot.config.json; rm -f argot.config.json'],
    ['chat.chatmd', 'echo x >> chat.chatmd; mv chat.chatmd other'],
    ['.chatmd/runs/chat.chatmd/1.jsonl', 'echo x >> .chatmd/runs/chat.chatmd/1.jsonl; rm -rf .chatmd'],
    ['.vscode/tasks.json', 'echo x >> .vscode/tasks.json; rm -rf .vscode'],
    ['.config/fish/config.fish', 'echo x >> .config/fish/config.fish; rm -rf .config/fish'],
    ['sub/.config/git/config', 'echo x >> sub/.config/git/config; rm -rf sub/.config'],
  ])('it does not change %s in the root', async (path, script) => {
    const files = { '.config/fish/config.fish': '', 'sub/.config/git/config': '' }
    const { sh, project } = await makeSandboxPlace({ files })
    const before = await readFile(join(project, path), 'utf8').catch(() => undefined)
    await sh(script)
    expect(existsSync(join(project, '.git/config'))).toBe(true)
    expect(await readFile(join(project, path), 'utf8').catch(() => undefined)).toBe(before)
  })

  test('nor the folder that a `.git` file names', async () => {
    const { sh, project } = await makeSandboxPlace({ files: { 'tree/.git': 'gitdir: ../meta\n', 'meta/config': '' } })
    await sh('echo x > meta/config; echo x > meta/hook')
    expect(await readFile(join(project, 'meta/config'), 'utf8')).toBe('')
    expect(existsSync(join(project, 'meta/hook'))).toBe(false)
  })

  test('what it makes that others may obey is said', async () => {
    const { sh } = await makeSandboxPlace()
    expect(await sh('mkdir -p lib/.git; echo x > lib/.git/config')).toMatch(/made ".*lib\/\.git", which other programs/)
    expect(await sh('echo fine')).toBe('fine\n')
  })

  test.each([
    ['a private key', 'cat ~/.ssh/id_ed25519'],
    ['a private key as a root of its own', 'cat /proc/self/root/$HOME/.ssh/id_ed25519'],
    ['credentials of a cloud', 'cat ~/.aws/credentials'],
    ['passwords', 'cat ~/.netrc'],
    ['what the user trusts', 'cat ~/.config/argot/trust.json'],
    ['what was typed', 'cat ~/.bash_history'],
    ['the cache', 'cat ~/.cache/page.html; ls -A ~/.cache'],
    ['everything in the home folder', 'grep -r SECRET "$HOME" 2>/dev/null; find "$HOME" -name "id_*"'],
  ])('it does not read %s', async (_, script) => {
    const { sh } = await makeSandboxPlace()
    const output = await sh(script)
    expect(output).not.toMatch(/SECRET|id_ed25519$/m)
  })

  test('a cache that it fills is thrown away', async () => {
    const { sh, home } = await makeSandboxPlace()
    expect(await sh('echo kept > ~/.cache/new && cat ~/.cache/new && echo "$npm_config_cache"')).toBe(
      'kept\n/tmp/.npm\n',
    )
    expect(existsSync(join(home, '.cache/new'))).toBe(false)
    expect(await readFile(join(home, '.cache/page.html'), 'utf8')).toBe('SECRET-CACHE')
  })

  test.each([
    ['the process that started it', 'cat /proc/$PPID/environ'],
    ['the first process', 'cat /proc/1/environ /proc/1/cmdline'],
    ['its own', 'env; cat /proc/self/environ'],
    ['every process', 'cat /proc/[0-9]*/environ'],
    ['the process that started all of it, by its number', `cat /proc/${process.pid}/environ`],
  ])('it does not find the keys in the environment of %s', async (_, script) => {
    process.env.ARGOT_ATTACK_KEY = KEY
    onTestFinished(() => void delete process.env.ARGOT_ATTACK_KEY)
    const { sh } = await makeSandboxPlace()
    const output = await sh(script)
    expect(output).not.toContain(KEY.slice(0, 12))
  })

  async function listen(target: string | number): Promise<{ server: Server; reached: () => number }> {
    let reached = 0
    const server = createServer(socket => {
      reached++
      socket.end('REACHED')
    })
    await new Promise<void>(resolve => server.listen(target, resolve))
    onTestFinished(() => void server.close())
    return { server, reached: () => reached }
  }

  const connect = (target: string): string =>
    `node -e 'require("node:net").connect(${target}).on("data",d=>console.log(String(d))).on("error",e=>{console.log(e.code);process.exitCode=1})'`

  test('it does not reach a server of this machine, unless its tool has the flag `network`', async () => {
    const { sh } = await makeSandboxPlace()
    const { server, reached } = await listen(0)
    const { port } = server.address() as { port: number }
    const closed = await sh(connect(`${port},"127.0.0.1"`))
    expect(closed).toMatch(/^exit 1\n--- stdout\nECONNREFUSED/)
    expect(closed).toContain('the network is closed')
    expect(closed.split('\n').at(-1)).toMatch(/^\[This program ran confined: .*`network` on the `<tool>`.*\]$/)
    expect(reached()).toBe(0)
    expect(await sh(connect(`${port},"127.0.0.1"`), { network: true })).toBe('REACHED\n')
  })

  test.each([
    'in /tmp',
    'beside the project',
    'in the project',
    'in the project, made by a relative path',
    'of the agent',
  ])('it does not reach a Unix socket %s', async where => {
    const agent = join('/tmp', `argot-agent-${process.pid}.sock`)
    const { sh, project, outside } = await makeSandboxPlace({ env: { SSH_AUTH_SOCK: agent } })
    const paths: Record<string, string> = {
      'in /tmp': join('/tmp', `argot-attack-${process.pid}.sock`),
      'of the agent': agent,
      'beside the project': join(outside, 's'),
      'in the project': join(project, 's'),
    }
    const before = process.cwd()
    process.chdir(project)
    onTestFinished(() => process.chdir(before))
    const { reached } = await listen(paths[where] ?? './s')
    expect(await sh(connect(JSON.stringify(paths[where] ?? './s')))).toMatch(/^exit 1/)
    expect(reached()).toBe(0)
  })

  test('nor an abstract one', async () => {
    const { sh } = await makeSandboxPlace()
    const { reached } = await listen(`\0argot-attack-${process.pid}`)
    expect(await sh(connect(`"\\0argot-attack-${process.pid}"`))).toMatch(/^exit 1/)
    expect(reached()).toBe(0)
  })

  test('it does not signal processes outside', async () => {
    const { sh } = await makeSandboxPlace()
    const victim = spawn('sleep', ['30'])
    onTestFinished(() => void victim.kill('SIGKILL'))
    await sh(`kill -9 ${victim.pid}; kill -9 $PPID; kill -TERM ${process.pid}`)
    await delay(100)
    expect(victim.signalCode).toBeNull()
  })

  test.each([
    ['in the background', `sleep ${NAP} & echo $!`],
    ['in a session of its own', `setsid sleep ${NAP} >/dev/null 2>&1 & echo started`],
    ['as a daemon', `setsid sh -c "setsid sleep ${NAP} >/dev/null 2>&1 &" ; echo started`],
    ['that ignores every signal', `setsid sh -c "trap '' TERM HUP INT; sleep ${NAP}" >/dev/null 2>&1 & echo started`],
    ['without its environment', `env -i setsid sleep ${NAP} >/dev/null 2>&1 & echo started`],
  ])('it leaves no process behind %s', async (_, script) => {
    const { sh } = await makeSandboxPlace()
    await sh(script)
    await expectNoNap()
  })

  test('what takes too long ends with all that it started', async () => {
    const { sh } = await makeSandboxPlace()
    await expect(sh(`setsid sleep ${NAP} & sleep ${NAP}`, { timeoutMs: 500 })).rejects.toMatchObject({
      code: 'TOOL_COMMAND_TIMEOUT',
    })
    await expectNoNap()
  })

  test('its /tmp is its own', async () => {
    const { sh } = await makeSandboxPlace()
    const name = `/tmp/argot-attack-${process.pid}`
    await writeFile(name, 'SECRET')
    expect(await sh(`cat ${name}; echo mine > /tmp/mine && cat /tmp/mine`)).not.toContain('SECRET')
    expect(existsSync('/tmp/mine')).toBe(false)
  })

  test('git status, node and a build work in it', async () => {
    const { sh, project } = await makeSandboxPlace({ files: { 'repo/a.txt': 'a\n', 'repo/package.json': '{}' } })
    const repo = join(project, 'repo')
    await run('git', ['init', '-q'], { cwd: repo })
    await run('git', ['add', 'a.txt'], { cwd: repo })
    expect(await sh('cd repo && git status --short')).toBe('A  a.txt\n?? package.json\n')
    expect(await sh('node -e "console.log(6*7)"')).toBe('42\n')
    // The checkout may be where a confined program cannot look.
    const own = `@esbuild/${process.platform}-${process.arch}/bin/esbuild`
    await copyFile(join(import.meta.dirname, '../../../../node_modules', own), join(project, 'esbuild'))
    const build = './esbuild src/main.ts --bundle --outfile=build/main.js --log-level=error'
    expect(await sh(`${build} && node build/main.js`)).toBe('42\n')
    expect(existsSync(join(project, 'build/main.js'))).toBe(true)
    expect(await sh('cd repo && npm run env -- sh -c "echo run by npm" 2>/dev/null | tail -1')).toContain('run by npm')
  })

  test('a root inside a hidden folder stays open, and a secret inside a root stays hidden', async () => {
    const { home, env } = await makeSandboxPlace()
    await mkdir(join(home, '.claude/work'), { recursive: true })
    await writeFile(join(home, '.claude/secret'), 'SECRET')
    const sandbox = await openSandbox({ mode: 'require', roots: [home, join(home, '.claude/work')], env })
    const tool = createShellTool({ name: 'sh', command: 'sh -c', cwd: home, env, sandbox })
    const script = 'echo x > .claude/work/a && echo y > b && cat .claude/secret .ssh/id_ed25519 2>/dev/null; ls .claude'
    expect((await callTool(tool, { arguments: [script] })).output).toBe('work\n')
    expect(await readFile(join(home, '.claude/work/a'), 'utf8')).toBe('x\n')
  })

  test('the person who is asked reads which boundary holds', async () => {
    const { project, env, sandbox } = await makeSandboxPlace()
    const options = { name: 'sh', command: 'sh -c', cwd: project, env }
    expect(createShellTool({ ...options, sandbox }).boundary).toMatch(/^Confined by bwrap.*network is closed\.$/)
    expect(createShellTool({ ...options, sandbox, network: true }).boundary).toMatch(/network is open\.$/)
    expect(createShellTool(options).boundary).toMatch(/^Not confined/)
    const off = await openSandbox({ mode: 'off', roots: [project], env })
    expect(createShellTool({ ...options, sandbox: off }).boundary).toBe(
      'Not confined: it can do everything you can. The sandbox is off.',
    )
  })

  /** A folder with a `bwrap` that does what it is told here. */
  async function fakeBwrap(script: string): Promise<{ PATH: string }> {
    const { outside } = await makeSandboxPlace({ mode: 'off' })
    await writeFile(join(outside, 'bwrap'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    return { PATH: outside }
  }

  test.each([
    ['is not installed', () => Promise.resolve({ PATH: '/nowhere' }), 'is not installed'],
    [
      'does not work',
      () => fakeBwrap('echo "bwrap: No permissions to create new namespace" >&2; exit 1'),
      'does not work: bwrap: No permissions to create new namespace',
    ],
    ['is found by a relative path only', () => Promise.resolve({ PATH: 'bin:.' }), 'is not installed'],
  ])('where bwrap %s, auto runs unconfined and says so, and require refuses', async (_, makeEnv, reason) => {
    const { project, home } = await makeSandboxPlace({ mode: 'off' })
    const env = { ...(await makeEnv()), HOME: home }
    const options = { name: 'echo', command: '/bin/echo hi', cwd: project, env }
    const auto = createShellTool({ ...options, sandbox: await openSandbox({ roots: [project], env }) })
    expect(auto.boundary).toContain(`Not confined: it can do everything you can. No sandbox is available: `)
    expect(auto.boundary).toContain(reason)
    expect(await callTool(auto, {})).toMatchObject({ output: 'hi\n', details: { sandbox: 'none' } })
    const required = createShellTool({
      ...options,
      sandbox: await openSandbox({ mode: 'require', roots: [project], env }),
    })
    await expect(callTool(required, {})).rejects.toMatchObject({
      code: 'TOOL_NO_SANDBOX',
      message: expect.stringContaining(reason),
    })
  })

  test('a `bwrap` that tools may change is not used', async () => {
    const { project } = await makeSandboxPlace({ mode: 'off' })
    await writeFile(join(project, 'bwrap'), '#!/bin/sh\nexit 0\n', { mode: 0o755 })
    const sandbox = await openSandbox({ roots: [project], env: { PATH: project } })
    expect(sandbox).toMatchObject({ kind: 'none' })
  })

  test('a program that is not there is said to be missing, not confined', async () => {
    const { project, env, sandbox } = await makeSandboxPlace()
    const tool = createShellTool({ name: 'x', command: 'no-such-program', cwd: project, env, sandbox })
    await expect(callTool(tool, {})).rejects.toMatchObject({ code: 'TOOL_COMMAND_NOT_FOUND' })
  })

  test('the profile for macOS closes the same (its effect is untested here)', async () => {
    const { project, home, env } = await makeSandboxPlace({ mode: 'off' })
    const bounds = { roots: [project], protectedPaths: [join(project, 'a "b"')], hiddenPaths: [], env }
    const profile = sandboxProfile(bounds, '/private/tmp/x', false)
    expect(profile).toContain(`(allow file-write* (subpath "${project}") (subpath "/private/tmp/x"))`)
    expect(profile).toContain(`(subpath "${join(home, '.ssh')}")`)
    expect(profile).toContain('a \\"b\\"')
    expect(profile).toContain('|\\.config/fish|')
    expect(profile).toContain('(deny network*)')
    expect(sandboxProfile(bounds, '/private/tmp/x', true)).not.toContain('(deny network*)')
  })
})
