import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, link, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { createTrustStore } from '@argot/agent/workshop'
import { ArgotError } from '@argot/core'
import { describe, expect, test } from 'vitest'
import { bundlePrograms } from '../../../../test/bundle-programs.ts'
import { takeLockFile } from '../../src/store/folder/lock-file.ts'
import { withLock } from '../../src/trust/with-lock.ts'
import { folder } from '../files/folder.ts'

/** A lock as a process writes it. */
function lockOf(pid: number, host = hostname()): string {
  return JSON.stringify({ pid, host, since: 0, nonce: 'a' })
}

/** A project with one document, and a store in a config folder that does not exist yet. */
async function setUp() {
  const root = await folder({ 'project/a.chatmd': 'a', 'project/b.chatmd': 'b' })
  const configFolder = join(root, 'config/argot')
  const store = createTrustStore({ configFolder, now: () => 0 })
  return {
    root,
    configFolder,
    store,
    file: join(root, 'project/a.chatmd'),
    trustFile: join(configFolder, 'trust.json'),
  }
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ArgotError)
  return (error as ArgotError).code
}

test('a command for which the file has no room is refused, and what was trusted before still is', async () => {
  const { store, file, trustFile } = await setUp()
  await store.trust({ file, command: 'rg' })
  const commands = Array.from({ length: 130 }, (_, index) => ({
    file,
    command: `${index} ${'x'.repeat(32 * 1024 - 300)}`,
    time: '1970-01-01T00:00:00.000Z',
  }))
  const { commands: first } = JSON.parse(await readFile(trustFile, 'utf8')) as { commands: object[] }
  await writeFile(trustFile, JSON.stringify({ version: 1, commands: [...first, ...commands.slice(0, 128)] }))
  const before = await readFile(trustFile, 'utf8')
  expect(await codeOf(store.trust({ file, command: commands[128]!.command }))).toBe('SETTINGS_NOT_WRITTEN')
  expect(await readFile(trustFile, 'utf8')).toBe(before)
  expect(await store.isTrusted({ file, command: 'rg' })).toBe(true)
  expect(await store.forget({ file, command: commands[0]!.command })).toBe(true)
  await store.trust({ file, command: 'ls' })
  expect(await store.isTrusted({ file, command: 'ls' })).toBe(true)
})

test('what was trusted is remembered with its time, also by another store', async () => {
  const { store, file, configFolder } = await setUp()
  expect(await store.isTrusted({ file, command: 'rg' })).toBe(false)
  await store.trust({ file, command: 'rg' })
  expect(await store.isTrusted({ file, command: 'rg' })).toBe(true)
  const other = createTrustStore({ configFolder })
  expect(await other.isTrusted({ file, command: 'rg' })).toBe(true)
  expect(await other.list()).toEqual([{ file, command: 'rg', time: '1970-01-01T00:00:00.000Z' }])
})

test('to ask leaves no trace on the disk', async () => {
  const { store, file, root } = await setUp()
  await store.isTrusted({ file, command: 'rg' })
  expect(await readdir(root)).toEqual(['project'])
})

test('the same thing is remembered once', async () => {
  const { store, file } = await setUp()
  await store.trust({ file, command: 'rg' })
  await store.trust({ file, command: 'rg' })
  expect(await store.list()).toHaveLength(1)
})

test('only the user may read or write what is remembered, and nothing else is left behind', async () => {
  const { store, file, configFolder, trustFile } = await setUp()
  await store.trust({ file, command: 'rg' })
  expect((await stat(trustFile)).mode & 0o777).toBe(0o600)
  expect((await stat(configFolder)).mode & 0o777).toBe(0o700)
  await store.trust({ file, command: 'fd' })
  expect((await stat(trustFile)).mode & 0o777).toBe(0o600)
  expect(await readdir(configFolder)).toEqual(['trust.json'])
})

describe('trust does not reach', () => {
  test.each([
    ['another command', 'rm -rf .'],
    ['a longer command', 'rg --files .'],
    ['a shorter command', 'rg'],
    ['another blank', 'rg  --files'],
    ['a blank at the end', 'rg --files '],
    ['a tab for a blank', 'rg\t--files'],
    ['other letters', 'RG --files'],
    ['letters that look the same', 'r\uff47 --files'],
    ['a server of the same name', 'stdio:rg --files'],
    ['a pattern', '*'],
    ['a key of every object', '__proto__'],
  ])('%s in the same document', async (_, command) => {
    const { store, file } = await setUp()
    await store.trust({ file, command: 'rg --files' })
    expect(await store.isTrusted({ file, command })).toBe(false)
  })

  test('the same command in another document', async () => {
    const { store, file, root } = await setUp()
    await store.trust({ file, command: 'rg' })
    expect(await store.isTrusted({ file: join(root, 'project/b.chatmd'), command: 'rg' })).toBe(false)
  })

  test('a copy of the document, a second name of it, or a folder that is called alike', async () => {
    const { store, file, root } = await setUp()
    await store.trust({ file, command: 'rg' })
    await copyFile(file, join(root, 'project/copy.chatmd'))
    await link(file, join(root, 'project/second.chatmd'))
    await mkdir(join(root, 'elsewhere/project'), { recursive: true })
    await copyFile(file, join(root, 'elsewhere/project/a.chatmd'))
    for (const other of ['project/copy.chatmd', 'project/second.chatmd', 'elsewhere/project/a.chatmd']) {
      expect(await store.isTrusted({ file: join(root, other), command: 'rg' })).toBe(false)
    }
  })

  test('the document after it was moved, or a link that stands in its place', async () => {
    const { store, file, root } = await setUp()
    await store.trust({ file, command: 'rg' })
    const moved = join(root, 'project/moved.chatmd')
    await rename(file, moved)
    expect(await store.isTrusted({ file: moved, command: 'rg' })).toBe(false)
    await symlink(join(root, 'project/b.chatmd'), file)
    expect(await store.isTrusted({ file, command: 'rg' })).toBe(false)
  })

  test('a document that does not exist', async () => {
    const { store, root } = await setUp()
    const file = join(root, 'project/none.chatmd')
    expect(await codeOf(store.trust({ file, command: 'rg' }))).toBe('SETTINGS_NOT_WRITTEN')
    expect(await store.isTrusted({ file, command: 'rg' })).toBe(false)
  })
})

test('a link to a document is that document', async () => {
  const { store, file, root } = await setUp()
  await symlink(file, join(root, 'link.chatmd'))
  await symlink(join(root, 'project'), join(root, 'folder'))
  await store.trust({ file: join(root, 'link.chatmd'), command: 'rg' })
  expect((await store.list())[0]!.file).toBe(file)
  expect(await store.isTrusted({ file: join(root, 'folder/a.chatmd'), command: 'rg' })).toBe(true)
})

test('a trust file in the project is not read', async () => {
  const { store, file, root } = await setUp()
  const planted = JSON.stringify({ version: 1, commands: [{ file, command: 'rg', time: '2026-01-01T00:00:00.000Z' }] })
  for (const place of ['', '.argot', '.config/argot', 'argot', 'config/argot']) {
    await mkdir(join(root, 'project', place), { recursive: true })
    await writeFile(join(root, 'project', place, 'trust.json'), planted)
  }
  expect(await store.isTrusted({ file, command: 'rg' })).toBe(false)
})

test('what is forgotten is asked again, also when the document is gone', async () => {
  const { store, file, root } = await setUp()
  await store.trust({ file, command: 'rg' })
  await store.trust({ file, command: 'fd' })
  expect(await store.forget({ file, command: 'rg' })).toBe(true)
  expect(await store.forget({ file, command: 'rg' })).toBe(false)
  expect(await store.isTrusted({ file, command: 'rg' })).toBe(false)
  await rename(file, join(root, 'moved'))
  expect(await store.forget({ file, command: 'fd' })).toBe(true)
  expect(await store.list()).toEqual([])
})

describe('a trust file that is broken', () => {
  test.each([
    ['{ "version": 1, "comm', 'SETTINGS_BAD_JSON'],
    ['', 'SETTINGS_BAD_JSON'],
    ['[]', 'SETTINGS_BAD_VALUE'],
    ['null', 'SETTINGS_BAD_VALUE'],
    ['{ "version": 2, "commands": [] }', 'SETTINGS_BAD_VALUE'],
    ['{ "version": 1, "commands": {} }', 'SETTINGS_BAD_VALUE'],
    ['{ "version": 1, "commands": [{ "file": "/a" }] }', 'SETTINGS_BAD_VALUE'],
    ['{ "version": 1, "commands": [null] }', 'SETTINGS_BAD_VALUE'],
    ['{ "__proto__": { "version": 1, "commands": [] } }', 'SETTINGS_BAD_VALUE'],
  ])('is an error and stays as it is: %s', async (text, code) => {
    const { store, file, configFolder, trustFile } = await setUp()
    await mkdir(configFolder, { recursive: true })
    await writeFile(trustFile, text)
    const question = { file, command: 'rg' }
    for (const use of [() => store.isTrusted(question), () => store.trust(question), () => store.forget(question)]) {
      expect(await codeOf(use())).toBe(code)
    }
    expect(await readFile(trustFile, 'utf8')).toBe(text)
    expect(await readdir(configFolder)).toEqual(['trust.json'])
  })

  test('is an error where it is a device', async () => {
    const { store, file, configFolder, trustFile } = await setUp()
    await mkdir(configFolder, { recursive: true })
    await symlink('/dev/zero', trustFile)
    expect(await codeOf(store.isTrusted({ file, command: 'rg' }))).toBe('SETTINGS_UNREADABLE')
  })

  test('is kept elsewhere where it is a link', async () => {
    const { store, file, configFolder, trustFile, root } = await setUp()
    await mkdir(configFolder, { recursive: true })
    await writeFile(join(root, 'dotfile'), '{ "version": 1, "commands": [] }')
    await symlink(join(root, 'dotfile'), trustFile)
    await store.trust({ file, command: 'rg' })
    expect(await readFile(join(root, 'dotfile'), 'utf8')).toContain('"rg"')
  })
})

test('a config folder that cannot be made is an error that says how to go on', async () => {
  const { file, root } = await setUp()
  const store = createTrustStore({ configFolder: join(root, 'project/a.chatmd/argot') })
  await expect(store.trust({ file, command: 'rg' })).rejects.toMatchObject({
    code: 'SETTINGS_NOT_WRITTEN',
    message: expect.stringContaining('`--allow-exec`'),
  })
})

test('a command that no system could start is not remembered', async () => {
  const { store, file } = await setUp()
  expect(await codeOf(store.trust({ file, command: 'x'.repeat(40_000) }))).toBe('SETTINGS_NOT_WRITTEN')
})

describe('several writers', () => {
  test('of one process lose nothing', async () => {
    const { file, configFolder } = await setUp()
    const commands = Array.from({ length: 20 }, (_, i) => `command ${i}`)
    await Promise.all(commands.map(command => createTrustStore({ configFolder }).trust({ file, command })))
    const found = (await createTrustStore({ configFolder }).list()).map(({ command }) => command)
    expect(found.sort()).toEqual([...commands].sort())
  })

  test('of several processes lose nothing, though one of them has died with the lock', async () => {
    const { file, configFolder, trustFile } = await setUp()
    await mkdir(configFolder, { recursive: true })
    const dead = spawn(process.execPath, ['-e', ''])
    await once(dead, 'exit')
    await writeFile(`${trustFile}.lock`, lockOf(dead.pid!))

    const [program] = bundlePrograms([join(import.meta.dirname, 'trusting.ts')])
    const statuses = ['a', 'b', 'c'].map(async name => {
      const child = spawn(process.execPath, [program!, configFolder, file, name], {
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      return (await once(child, 'exit'))[0] as number
    })
    expect(await Promise.all(statuses)).toEqual([0, 0, 0])
    expect(await createTrustStore({ configFolder }).list()).toHaveLength(30)
    expect(await readdir(configFolder)).toEqual(['trust.json'])
  })
})

describe('the lock', () => {
  test.each([
    ['of a process that lives', lockOf(process.ppid)],
    ['of another machine', lockOf(999_999_999, `another-${hostname()}`)],
  ])('%s is waited for, and then is an error that names it', async (_, text) => {
    const root = await folder({ lock: text })
    const working = withLock(join(root, 'lock'), () => Promise.resolve('done'), 30)
    await expect(working).rejects.toMatchObject({
      code: 'SETTINGS_NOT_WRITTEN',
      message: expect.stringContaining(join(root, 'lock')),
    })
    expect(await readFile(join(root, 'lock'), 'utf8')).toBe(text)
  })

  test.each([
    ['a document', async (path: string) => (await takeLockFile(path, {})).release()],
    ['trust', (path: string) => withLock(path, () => Promise.resolve())],
  ])('that a dead process left is taken over for %s', async (_, take) => {
    const dead = spawn(process.execPath, ['-e', ''])
    await once(dead, 'exit')
    const root = await folder({ lock: lockOf(dead.pid!) })
    await take(join(root, 'lock'))
    expect(await readdir(root)).toEqual([])
  })

  test('of a document keeps trust away, and that of trust keeps a document away', async () => {
    const path = join(await folder(), 'lock')
    const held = await takeLockFile(path, {})
    await expect(withLock(path, () => Promise.resolve(), 30)).rejects.toMatchObject({ code: 'SETTINGS_NOT_WRITTEN' })
    held.release()
    await withLock(path, () => expect(takeLockFile(path, {})).rejects.toMatchObject({ code: 'RUN_LOCKED' }))
  })

  test('is let go of when the work fails', async () => {
    const root = await folder()
    await expect(withLock(join(root, 'lock'), () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await readdir(root)).toEqual([])
  })
})
