/**
 * Programs that try to change the machine, as root and as another user. The law: nothing under /proc and /sys can be opened
 * for writing from inside. Files there are only opened, never written. Siblings that were tried besides: every file that is
 * there, namespaces inside, set-user-ID programs, devices, terminals and key rings.
 */
import { cp, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bundlePrograms } from '../../../../test/bundle-programs.ts'
import { isTried, makeSandboxPlace, run } from './sandbox-place.ts'

const [user] = bundlePrograms([join(import.meta.dirname, 'sandbox-user.ts')])
const isRoot = process.getuid?.() === 0
const NOBODY = 65_534

/** Opens every file for writing, without a change, and prints those that could be opened. */
const opener = `
const { readdirSync, openSync, closeSync, constants } = require('node:fs')
let tried = 0
const opened = []
const look = folder => {
  let entries = []
  try { entries = readdirSync(folder, { withFileTypes: true }) } catch {}
  for (const entry of entries) {
    const path = folder + '/' + entry.name
    // Of the processes only this one: the others are like it.
    if (entry.isDirectory() && !(/^\\/proc\\/\\d+$/.test(path) && path !== '/proc/' + process.pid)) look(path)
    if (!entry.isFile()) continue
    tried++
    try {
      closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK))
      opened.push(path)
    } catch {}
  }
}
look('/proc')
look('/sys')
console.log(JSON.stringify({ tried, opened: opened.slice(0, 5) }))
`
const OPEN_ALL = `node -e '${opener.replaceAll("'", '"')}'`
const RIGHTS = 'grep -E "^(CapInh|CapPrm|CapEff|CapBnd|CapAmb|NoNewPrivs)" /proc/self/status'
const NO_RIGHTS = /^(Cap...:\t0{16}\n){5}NoNewPrivs:\t1\n$/
/** Each must fail. */
const ATTEMPTS = [
  'unshare -U true',
  'unshare -Ur true',
  'unshare -m true',
  'unshare -n true',
  'unshare -Urm mount -t tmpfs x /mnt',
  'mount -o remount,rw /proc',
  'mount -o remount,rw,bind /proc/sys',
  'mount -t proc x /mnt',
  'mount -t sysfs x /mnt',
  'umount /proc',
  'umount -l .git',
  'nsenter -t 1 -m true',
  'mknod node c 1 1',
  'mknod /dev/node b 254 0',
  'chroot / true',
  'hostname argot-attack',
  'true < /dev/mem',
  'true < /dev/tty',
]
const TRY_ALL = ATTEMPTS.map(one => `if ${one}; then echo 'worked: ${one}'; fi`).join('; ')

describe.runIf(isTried)('a confined program', () => {
  test('cannot open a setting of the kernel for writing, whoever runs it', async () => {
    const { sh } = await makeSandboxPlace()
    const { tried, opened } = JSON.parse(await sh(OPEN_ALL)) as { tried: number; opened: string[] }
    expect(tried).toBeGreaterThan(1000)
    expect(opened).toEqual([])
  })

  test('has no rights, and no way to get any', async () => {
    const { sh } = await makeSandboxPlace()
    expect(await sh(RIGHTS)).toMatch(NO_RIGHTS)
    expect(await sh(`(${TRY_ALL}) 2>/dev/null; exit 0`)).toBe('exit 0, no output')
    const options = (await sh('cut -d" " -f6 /proc/self/mountinfo')).trim().split('\n')
    // What is left without it is covered by another mount, as the devices of the machine are.
    expect(options.filter(one => one.includes('nosuid')).length).toBeGreaterThan(options.length / 2)
    expect(
      await sh(
        'for f in $(find /usr/bin -perm -4000 2>/dev/null); do findmnt -no OPTIONS -T $f; done | grep -v nosuid; exit 0',
      ),
    ).toBe('exit 0, no output')
    expect(await sh('tty; exit 0')).toContain('not a tty')
  })

  test.runIf(isRoot)('is confined as an ordinary user too, or that user reads that it is not', async context => {
    const { project, home } = await makeSandboxPlace({ mode: 'off' })
    await cp(dirname(user!), join(home, 'bundle'), { recursive: true })
    await run('chown', ['-R', `${NOBODY}:${NOBODY}`, dirname(home)])
    const program = join(home, 'bundle', 'sandbox-user.mjs')
    const scripts = [
      OPEN_ALL,
      RIGHTS,
      `(${TRY_ALL}) 2>/dev/null; exit 0`,
      'cat ../.ssh/*; echo x > .git/config; echo y > new; exit 0',
    ]
    const isReached = await run('setpriv', [
      '--reuid',
      `${NOBODY}`,
      '--regid',
      `${NOBODY}`,
      '--clear-groups',
      'test',
      '-r',
      program,
    ]).then(
      () => true,
      () => false,
    )
    if (!isReached)
      return context.skip('an ordinary user cannot reach the folder of these tests: run them outside of /tmp')
    const words = ['-u', 'HOME', process.execPath, program, project, ...scripts]
    const change = [
      '--reuid',
      `${NOBODY}`,
      '--regid',
      `${NOBODY}`,
      '--clear-groups',
      'env',
      ...words.slice(0, 2),
      `HOME=${home}`,
    ]
    const { stdout } = await run('setpriv', [...change, ...words.slice(2)])
    const { boundary, outputs } = JSON.parse(stdout) as { boundary: string; outputs: string[] }
    if (boundary.startsWith('Not confined')) return
    const [opened = '', rights, attempts, files] = outputs
    expect((JSON.parse(opened) as { opened: string[] }).opened).toEqual([])
    expect(rights).toMatch(NO_RIGHTS)
    expect(attempts).toBe('exit 0, no output')
    expect(files).not.toContain('SECRET')
    expect(await readFile(join(project, '.git/config'), 'utf8')).toBe('[core]\n')
    expect(await readFile(join(project, 'new'), 'utf8')).toBe('y\n')
  })

  test('writes to its own descriptors by their names, as scripts do', async () => {
    const { sh, project } = await makeSandboxPlace()
    await writeFile(join(project, 'a'), '')
    const script =
      '(echo one > /dev/stdout; echo two | tee /dev/fd/1) | cat; exec 7> a; echo three > /proc/self/fd/7; cat a'
    expect(await sh(script)).toBe('one\ntwo\ntwo\nthree\n')
  })
})
