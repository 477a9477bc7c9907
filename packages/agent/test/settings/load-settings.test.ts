import { execFileSync } from 'node:child_process'
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadSettings } from '@argot/agent/workshop'
import { ArgotError } from '@argot/core'
import { describe, expect, test } from 'vitest'
import { findConfigFolder } from '../../src/settings/config-folder.ts'
import { folder } from '../files/folder.ts'

const name = 'argot.config.json'

/** Loads the settings for a document in `project/docs`, with this text in the project's file. */
async function load(text: string) {
  const root = await folder({ [`project/${name}`]: text, 'project/docs/a.chatmd': '' })
  return loadSettings({ directory: join(root, 'project/docs'), configFolder: join(root, 'user') })
}

async function problemOf(promise: Promise<unknown>): Promise<ArgotError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ArgotError)
  return error as ArgotError
}

describe('where settings come from', () => {
  test('nothing is set where there is no file', async () => {
    const root = await folder({ 'docs/a.chatmd': '' })
    const settings = await loadSettings({ directory: join(root, 'docs'), configFolder: join(root, 'nowhere') })
    expect(settings).toEqual({ approve: {} })
  })

  test('the project comes before the user, key by key, and each value knows its file', async () => {
    const root = await folder({
      [`project/${name}`]: '{ "toolSyntax": "caret", "approve": "readonly" }',
      'project/docs/a.chatmd': '',
      [`user/${name}`]: '{ "toolSyntax": "xml", "model": "demo", "maxSteps": 7, "approve": { "rg": "all" } }',
    })
    const project = join(root, 'project', name)
    const user = join(root, 'user', name)
    const settings = await loadSettings({ directory: join(root, 'project/docs'), configFolder: join(root, 'user') })
    expect(settings).toEqual({
      toolSyntax: { value: 'caret', from: project },
      model: { value: 'demo', from: user },
      maxSteps: { value: 7, from: user },
      approve: { project: { value: 'readonly', from: project }, user: { value: { rg: 'all' }, from: user } },
    })
  })

  test('prices of the project and of the user count together, and the project comes first', async () => {
    const root = await folder({
      [`project/${name}`]: '{ "prices": { "openai:a": { "input": 1, "output": 2 } } }',
      [`user/${name}`]: '{ "prices": { "openai:a": { "input": 9, "output": 9 }, "b": { "input": 3, "output": 4 } } }',
    })
    const { prices } = await loadSettings({ directory: join(root, 'project'), configFolder: join(root, 'user') })
    expect([...prices!].map(([model, { value }]) => [model, value])).toEqual([
      ['openai:a', { input: 1, output: 2 }],
      ['b', { input: 3, output: 4 }],
    ])
  })

  test.each([
    '{ "prices": 3 }',
    '{ "prices": { "a": 3 } }',
    '{ "prices": { "a": { "input": 1 } } }',
    '{ "prices": { "a": { "input": -1, "output": 1 } } }',
    '{ "prices": { "a": { "input": 1, "output": "2" } } }',
    '{ "prices": { "a": { "input": 1, "output": 2, "cached": 1 } } }',
  ])('a price that is none is an error: %s', async text => {
    expect(await problemOf(load(text))).toMatchObject({
      code: 'SETTINGS_BAD_VALUE',
      message: expect.stringContaining('`prices`'),
    })
  })

  test.each(['toolSyntax', 'model', 'maxSteps', 'toolSearch'] as const)(
    'the project comes before the user for %s',
    async key => {
      const [ours, theirs] = key === 'maxSteps' ? [1, 2] : key === 'toolSearch' ? [false, true] : ['ours', 'theirs']
      const root = await folder({
        [`project/${name}`]: JSON.stringify({ [key]: ours }),
        [`user/${name}`]: JSON.stringify({ [key]: theirs }),
      })
      const settings = await loadSettings({ directory: join(root, 'project'), configFolder: join(root, 'user') })
      expect(settings[key]?.value).toBe(ours)
    },
  )

  test.each([
    ['model', undefined, undefined],
    ['model', 'first-message', 'first-message'],
    [undefined, 'model', 'model'],
    ['first-message', 'model', 'first-message'],
  ])('a project can only turn off titles from the model: project %s, user %s', async (project, user, expected) => {
    const root = await folder({
      [`project/${name}`]: JSON.stringify({ titles: project }),
      [`user/${name}`]: JSON.stringify({ titles: user }),
    })
    const settings = await loadSettings({ directory: join(root, 'project'), configFolder: join(root, 'user') })
    expect(settings.titles?.value).toBe(expected)
  })

  test('only the nearest of the folders above the document counts', async () => {
    const root = await folder({
      [name]: '{ "model": "far", "maxSteps": 3 }',
      [`a/${name}`]: '{ "model": "near" }',
      'a/b/c.chatmd': '',
    })
    const settings = await loadSettings({ directory: join(root, 'a/b'), configFolder: join(root, 'user') })
    expect(settings).toEqual({ model: { value: 'near', from: join(root, 'a', name) }, approve: {} })
  })

  test("the user's own file is not taken for a project's when the document lies beside it", async () => {
    const root = await folder({ [`user/${name}`]: '{ "approve": "ask" }', 'user/notes/a.chatmd': '' })
    const settings = await loadSettings({ directory: join(root, 'user/notes'), configFolder: join(root, 'user') })
    expect(settings.approve).toEqual({ user: { value: 'ask', from: join(root, 'user', name) } })
  })

  test('the folders above a linked folder are those of the place that it leads to', async () => {
    const root = await folder({ [`real/${name}`]: '{ "model": "real" }', 'real/docs/a.chatmd': '' })
    await mkdir(join(root, 'other'))
    await writeFile(join(root, 'other', name), '{ "model": "other" }')
    await symlink(join(root, 'real/docs'), join(root, 'other/docs'))
    const settings = await loadSettings({ directory: join(root, 'other/docs'), configFolder: join(root, 'user') })
    expect(settings.model?.value).toBe('real')
  })

  test('the config folder is found by the environment that is given', async () => {
    const root = await folder({ [`config/argot/${name}`]: '{ "model": "demo" }', 'docs/a.chatmd': '' })
    const env = { XDG_CONFIG_HOME: join(root, 'config') }
    expect((await loadSettings({ directory: join(root, 'docs'), env })).model?.value).toBe('demo')
  })
})

test.each<[NodeJS.Platform, Record<string, string>, string]>([
  ['linux', { HOME: '/home/ada' }, '/home/ada/.config/argot'],
  ['darwin', { HOME: '/Users/ada', XDG_CONFIG_HOME: '/x' }, '/x/argot'],
  ['linux', { HOME: '/home/ada', XDG_CONFIG_HOME: 'project/config' }, '/home/ada/.config/argot'],
  ['linux', { HOME: '/home/ada', XDG_CONFIG_HOME: '' }, '/home/ada/.config/argot'],
  ['win32', { APPDATA: 'C:\\Users\\ada\\AppData\\Roaming' }, 'C:\\Users\\ada\\AppData\\Roaming\\argot'],
  ['win32', { USERPROFILE: 'C:\\Users\\ada' }, 'C:\\Users\\ada\\AppData\\Roaming\\argot'],
])('the config folder on %s with %j is %s', (platform, env, expected) => {
  expect(findConfigFolder({ platform, env })).toBe(expected)
})

test('a schema and a byte order mark are allowed', async () => {
  const settings = await load(
    '\ufeff{ "$schema": "./node_modules/@argot/agent/argot.config.schema.json", "maxSteps": 1 }',
  )
  expect(settings.maxSteps?.value).toBe(1)
})

test.each([
  ['{ "tool_syntax": "xml" }', 'Did you mean `toolSyntax`?'],
  ['{ "Model": "demo" }', 'Did you mean `model`?'],
  ['{ "aprove": "all" }', 'Did you mean `approve`?'],
  ['{ "dney": [] }', 'Did you mean `deny`?'],
  [
    '{ "apiKey": "x" }',
    'The known keys are `toolSyntax`, `model`, `approve`, `allow`, `ask`, `deny`, `maxSteps`, `limit`, `toolSearch`, `retention`, `prices`, `compact`, `summaryModel`, `context`, `titles`.',
  ],
  ['{ "__proto__": { "approve": "all" } }', '`__proto__`'],
  ['{ "constructor": { "prototype": {} } }', '`constructor`'],
  ['{ "toString": 1 }', '`toString`'],
])('an unknown key is an error that helps: %s', async (text, expected) => {
  const { code, message } = await problemOf(load(text))
  expect(code).toBe('SETTINGS_UNKNOWN_KEY')
  expect(message).toContain(expected)
  expect(message).toContain(join('project', name))
})

test.each([
  ['[]', 'The file must be an object'],
  ['null', 'The file must be an object: `{ … }`, not `null`'],
  ['"all"', 'The file must be an object'],
  ['{ "maxSteps": 0 }', '`maxSteps` must be a whole number from 1 to 1000, not `0`'],
  ['{ "maxSteps": 1001 }', '`maxSteps`'],
  ['{ "maxSteps": 1.5 }', '`maxSteps`'],
  ['{ "maxSteps": "5" }', '`maxSteps`'],
  [
    '{ "model": "" }',
    '`model` must be a name of at most 200 characters, without spaces around it, not an empty string',
  ],
  ['{ "model": " demo" }', '`model`'],
  ['{ "model": "a\\nb" }', '`model`'],
  [
    '{ "toolSyntax": ["xml"] }',
    '`toolSyntax` must be a name of at most 200 characters, without spaces around it, not a list',
  ],
  [`{ "toolSyntax": "${'x'.repeat(201)}" }`, '`toolSyntax`'],
  ['{ "$schema": 1 }', '`$schema` must be a string'],
  ['{ "approve": "always" }', '`approve` must be one of `none`, `readonly`, `ask`, `all`, or an object'],
  ['{ "approve": "ask,rg=all" }', 'or an object with one of them for each tool'],
  ['{ "approve": true }', '`approve`'],
  ['{ "approve": { "rg": "yes" } }', '`rg` in `approve` must be one of'],
  ['{ "approve": { "__proto__": { "default": "all" } } }', '`__proto__` in `approve` must be one of'],
  [`{ "approve": { "a": ${'['.repeat(30_000)}${']'.repeat(30_000)} } }`, 'not a list'],
])('a wrong value is an error that says what is right: %.60s', async (text, expected) => {
  const { code, message } = await problemOf(load(text))
  expect(code).toBe('SETTINGS_BAD_VALUE')
  expect(message).toContain(expected)
  expect(message).toContain(join('project', name))
})

test('a key `__proto__` in approvals is a tool and changes no prototype', async () => {
  const { approve } = await load('{ "approve": { "__proto__": "none", "constructor": "readonly" } }')
  expect(Object.entries(approve.project?.value ?? {})).toEqual([
    ['__proto__', 'none'],
    ['constructor', 'readonly'],
  ])
  expect(({} as Record<string, unknown>).default).toBeUndefined()
})

test.each([
  ['{\n  "model": "demo",\n}', 'line 3, column 1', 'A key in double quotes is expected here.'],
  ['{ "maxSteps": 5', 'line 1, column 16', 'The JSON ends in the middle of a value.'],
  ['{\r\n  // why\r\n}', 'line 2, column 3', 'A key in double quotes'],
  ['{} {}', 'line 1, column 4', 'Nothing may follow'],
  ['{ "maxSteps": tru }', 'line 1, column 15', ''],
  ['\ufeff{,}', 'line 1, column 2', ''],
  ['\0', 'line 1, column 1', ''],
])('text that is not JSON is an error with line and column: %j', async (text, place, why) => {
  const { code, message } = await problemOf(load(text))
  expect(code).toBe('SETTINGS_BAD_JSON')
  expect(message).toContain(`${name}\` is not JSON (${place}): ${why}`)
})

test.each(['', ' \n'])('an empty file is an error that says so: %j', async text => {
  const { code, message } = await problemOf(load(text))
  expect(code).toBe('SETTINGS_BAD_JSON')
  expect(message).toContain('is empty')
})

describe('a file that cannot be read', () => {
  /** Loads with a project file that `make` puts at the path it gets. */
  async function loadWith(make: (file: string, root: string) => unknown) {
    const root = await folder({ 'project/a.chatmd': '' })
    const file = join(root, 'project', name)
    await make(file, root)
    return problemOf(loadSettings({ directory: join(root, 'project'), configFolder: join(root, 'user') }))
  }

  test.each<[string, string, (file: string, root: string) => unknown]>([
    ['a folder', 'is a folder, not a file', file => mkdir(file)],
    ['a device', 'is a device, not a file', file => symlink('/dev/zero', file)],
    ['a pipe', 'is a pipe, not a file', file => execFileSync('mkfifo', [file])],
    ['a link that leads nowhere', 'is a broken symbolic link', file => symlink('nothing', file)],
    ['a link through a file', 'is a broken symbolic link', file => symlink('a.chatmd/x', file)],
    ['a link to itself', 'its symbolic links form a loop', file => symlink(name, file)],
    ['a huge file', 'is 1 MiB. The limit is 64 KiB', file => writeFile(file, ' '.repeat(1024 * 1024))],
    [
      'a link to a huge file',
      'The limit is 64 KiB',
      async (file, root) => {
        await writeFile(join(root, 'huge'), '['.repeat(65 * 1024))
        await symlink(join(root, 'huge'), file)
      },
    ],
    ['a file of another encoding', 'is UTF-16LE', file => writeFile(file, Buffer.from('\ufeff{}', 'utf16le'))],
    ['a file of other bytes', 'is not UTF-8', file => writeFile(file, Buffer.from([0x7b, 0xff, 0x7d]))],
  ])('%s is an error with its path', async (_, expected, make) => {
    const { code, message } = await loadWith(make)
    expect(code).toBe('SETTINGS_UNREADABLE')
    expect(message).toContain(expected)
    expect(message).toContain(join('project', name))
  })

  test.skipIf(process.getuid?.() === 0)('a file without permission is an error (a superuser may read it)', async () => {
    const { code, message } = await loadWith(async file => {
      await writeFile(file, '{}')
      await chmod(file, 0)
    })
    expect(code).toBe('SETTINGS_UNREADABLE')
    expect(message).toContain('permission was denied')
  })

  test("a broken file of the user is an error too, and names the user's file", async () => {
    const root = await folder({ 'project/a.chatmd': '', [`user/${name}`]: '{' })
    const loading = loadSettings({ directory: join(root, 'project'), configFolder: join(root, 'user') })
    expect((await problemOf(loading)).message).toContain(join('user', name))
  })

  test('a file of exactly 64 KiB is read', async () => {
    const settings = await load('{ "maxSteps": 2 }'.padEnd(64 * 1024))
    expect(settings.maxSteps?.value).toBe(2)
  })
})
