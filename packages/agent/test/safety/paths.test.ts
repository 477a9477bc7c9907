import { mkdir, readFile, readlink } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { runDocument } from '@argot/agent'
import { expect, test } from 'vitest'
import { fakeTool } from '../loop/fake-tools.ts'
import { filesBelow, follow } from '../run/document-folder.ts'
import {
  callsThenAnswer,
  expectReadBack,
  hostileRun,
  link,
  makePlace,
  OUTSIDE,
  type Place,
  put,
} from './hostile-run.ts'

const tools = [
  'read_file',
  'read_dir',
  'write_file',
  'append_to_file',
  'find_and_replace',
  'apply_patch',
  'grep',
  'glob',
]
const document = `${tools.map(name => `<tool name="${name}"/>\n`).join('')}<user>\nGo.\n</user>\n`

const patch = (...lines: string[]): { patch: string } => ({
  patch: ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n'),
})

/** Every way in which a built-in tool can be told to use a path, read or write. */
const uses: [name: string, kind: 'file' | 'folder' | 'both', tool: string, input: (path: string) => unknown][] = [
  ['read_file', 'file', 'read_file', path => ({ path })],
  ['read_file by its alias', 'file', 'read_file', path => ({ file: path })],
  ['read_dir', 'folder', 'read_dir', path => ({ path })],
  ['write_file', 'file', 'write_file', path => ({ path, content: 'overwritten' })],
  ['append_to_file', 'file', 'append_to_file', path => ({ path, content: 'appended' })],
  ['find_and_replace', 'file', 'find_and_replace', path => ({ path, search: 'the', replace: 'replaced' })],
  ['apply_patch that adds', 'file', 'apply_patch', path => patch(`*** Add File: ${path}`, '+added')],
  [
    'apply_patch that updates',
    'file',
    'apply_patch',
    path => patch(`*** Update File: ${path}`, '@@', '-whatever', '+updated'),
  ],
  ['apply_patch that deletes', 'file', 'apply_patch', path => patch(`*** Delete File: ${path}`)],
  [
    'apply_patch that moves there',
    'file',
    'apply_patch',
    path => patch('*** Update File: inside.txt', `*** Move to: ${path}`, '@@', '-inside', '+moved'),
  ],
  ['grep', 'both', 'grep', path => ({ pattern: 'text', path })],
  ['glob', 'folder', 'glob', path => ({ pattern: '**/*', path })],
]

/** Every way out of the project: each gives the path of a file or folder outside, in a way of its own. */
const ways: [name: string, path: (place: Place, target: string) => Promise<string>][] = [
  ['..', async ({ project }, target) => relative(project, target)],
  ['.. behind a folder', async ({ project }, target) => `no/such/../../${relative(project, target)}`],
  ['an absolute path', async (_, target) => target],
  [
    'a link to it',
    async ({ project }, target) => {
      await link(target, join(project, 'link'))
      return 'link'
    },
  ],
  [
    'a link to a link in a folder',
    async ({ project }, target) => {
      await link(target, join(project, 'deep/second'))
      await link('deep/second', join(project, 'first'))
      return 'first'
    },
  ],
  [
    'a linked folder',
    async ({ project, outside }, target) => {
      await link(outside, join(project, 'folder'))
      return join('folder', relative(outside, target)) || 'folder'
    },
  ],
]

const unharmed = async ({ outside }: Place): Promise<void> => {
  expect(await filesBelow(outside)).toEqual(['secret.txt'])
  expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe(`${OUTSIDE}\n`)
}

const approve = 'all'

test.each(uses)('%s does not leave the project by any way', async (_, kind, tool, input) => {
  const place = await makePlace(document)
  const target = kind === 'folder' ? place.outside : join(place.outside, 'secret.txt')
  const paths = await Promise.all(ways.map(([, way]) => way(place, target)))
  const steps = callsThenAnswer(...paths.map(path => [tool, input(path)] as [string, unknown]))
  const { calls, result, seen } = await hostileRun(place, steps, { approve })
  expect(calls).toHaveLength(ways.length)
  for (const one of calls) {
    expect(one).toMatchObject({ state: 'output-error', errorText: expect.stringContaining('outside') })
  }
  expect(seen).not.toContain(OUTSIDE)
  expect(await readFile(join(place.project, 'inside.txt'), 'utf8')).toBe('inside\n')
  await unharmed(place)
  await expectReadBack(place, result)
})

test.each(uses.filter(([, kind]) => kind === 'file'))('%s follows no link that leads to nothing', async (...use) => {
  const [, , tool, input] = use
  const place = await makePlace(document)
  await link(join(place.outside, 'new.txt'), join(place.project, 'dangling'))
  await link(join(place.outside, 'no/such'), join(place.project, 'nowhere'))
  const steps = callsThenAnswer([tool, input('dangling')], [tool, input('nowhere/new.txt')])
  const { calls } = await hostileRun(place, steps, { approve })
  expect(calls.map(({ state }) => state)).toEqual(['output-error', 'output-error'])
  expect(await readlink(join(place.project, 'dangling'))).toBe(join(place.outside, 'new.txt'))
  await unharmed(place)
})

test.each(uses)('%s does not follow a link that an earlier call of the run made', async (_, kind, tool, input) => {
  const place = await makePlace(document.replace('<user>', '<tool name="make_link"/>\n<user>'))
  const target = kind === 'folder' ? place.outside : join(place.outside, 'secret.txt')
  const tools = [fakeTool('make_link', 'exec', () => link(target, join(place.project, 'made')).then(() => 'made'))]
  const steps = callsThenAnswer(['make_link', {}], [tool, input('made')])
  const { calls, seen } = await hostileRun(place, steps, { approve, tools })
  expect(calls).toMatchObject([{ output: 'made' }, { state: 'output-error' }])
  expect(seen).not.toContain(OUTSIDE)
  await unharmed(place)
})

test('grep and glob pass over links that lead outside', async () => {
  const place = await makePlace(document)
  await link(place.outside, join(place.project, 'folder'))
  await link(join(place.outside, 'secret.txt'), join(place.project, 'link.txt'))
  const steps = callsThenAnswer(
    ['grep', { pattern: 'text|inside' }],
    ['glob', { pattern: '**/*.txt' }],
    ['glob', { pattern: '../outside/*' }],
    ['glob', { pattern: `${place.outside}/*` }],
  )
  const { calls, seen } = await hostileRun(place, steps)
  expect(calls[0]).toMatchObject({ state: 'output-available', output: expect.stringContaining('inside.txt') })
  expect(seen).not.toContain(OUTSIDE)
  expect(JSON.stringify(calls.map(({ output, errorText }) => output ?? errorText))).not.toContain('secret.txt')
})

const writes = uses.filter(([name]) => !/^(?:read_|grep|glob)/.test(name))

test.each(writes)(
  '%s does not change the running document, its files or the settings',
  async (_, _kind, tool, input) => {
    const forbidden = [
      'chat.chatmd',
      './x/../chat.chatmd',
      'linked.chatmd',
      '.chatmd/0.tool-call.c1.json',
      '.chatmd/new.json',
      '.chatmd/runs/chat.chatmd/x.jsonl',
      'settings/trust.json',
    ]
    const place = await makePlace(document, { 'project/settings/trust.json': '{}', 'project/x/y': '' })
    await link('chat.chatmd', join(place.project, 'linked.chatmd'))
    const config = join(place.project, 'settings')
    const steps = callsThenAnswer(...forbidden.map(path => [tool, input(path)] as [string, unknown]))
    const { calls, result } = await hostileRun(place, steps, { approve, configFolder: config })
    for (const one of calls) expect(one).toMatchObject({ state: 'output-error' })
    expect(calls[0]!.errorText).toMatch(/no tool may change|already|is not in|does not occur|find/i)
    expect(await readFile(join(config, 'trust.json'), 'utf8')).toBe('{}')
    expect((await readFile(place.file, 'utf8')).startsWith(document)).toBe(true)
    expect(await filesBelow(join(place.project, '.chatmd'))).not.toContain('new.json')
    await expectReadBack(place, result)
  },
)

test('the transcript of --output is protected like the document', async () => {
  const place = await makePlace(document)
  const steps = callsThenAnswer(
    ['write_file', { path: 'other/done.chatmd', content: '' }],
    ['write_file', { path: 'other/.chatmd/x.json', content: '' }],
    ['write_file', { path: 'other/fine.txt', content: '' }],
  )
  await mkdir(join(place.project, 'other'))
  const { calls, result } = await hostileRun(place, steps, { approve, output: 'other/done.chatmd' })
  expect(calls.map(({ state }) => state)).toEqual(['output-error', 'output-error', 'output-available'])
  expect(result.status).toBe('done')
})

test('a sub-agent cannot change the document that runs it', async () => {
  const place = await makePlace('<tool name="helper" agent="sub/helper.chatmd" local/>\n<user>\nGo.\n</user>\n', {
    'project/sub/helper.chatmd': '<tool name="write_file"/>\n<system>\nYou are the helper.\n</system>\n',
  })
  const answers: string[] = []
  const [first, last] = callsThenAnswer(['helper', { input: 'go' }])
  const write = callsThenAnswer(
    ['write_file', { path: 'chat.chatmd', content: 'mine' }],
    ['write_file', { path: 'sub/helper.chatmd', content: 'mine' }],
    ['write_file', { path: '.chatmd/x.json', content: 'mine' }],
  )
  const { calls } = await hostileRun(
    place,
    [
      ({ prompt }) => {
        if (!JSON.stringify(prompt).includes('You are the helper.')) return (prompt.length > 1 ? last : first) as string
        const results = prompt.filter(({ role }) => role === 'tool')
        if (results.length > answers.length) answers.push(JSON.stringify(results.at(-1)))
        return write[results.length] as string
      },
    ],
    { approve },
  )
  expect(calls).toMatchObject([{ toolName: 'helper', output: 'That is all.' }])
  expect(answers).toHaveLength(3)
  for (const answer of answers) expect(answer).toContain('no tool may change')
  expect(await readFile(join(place.project, 'sub/helper.chatmd'), 'utf8')).not.toContain('mine')
})

test('a program starts in the folder of the user, and a document cannot choose another', async () => {
  const place = await makePlace(
    `<tool name="where" command="node -p process.cwd()" cwd="${'/'}" dir=".."/>\n<user>\nGo.\n</user>\n`,
  )
  const env = { PATH: process.env.PATH }
  const steps = callsThenAnswer(['where', {}], ['where', { arguments: [], cwd: place.outside }])
  const { calls } = await hostileRun(place, steps, { approve, allowExec: true, env })
  expect(calls).toMatchObject([{ output: `${place.project}\n` }, { state: 'output-error' }])
})

test('a document reads nothing outside, whatever it is called there', async () => {
  const sources = ['../outside/secret.txt', 'link.txt', 'folder/secret.txt']
  for (const src of sources) {
    for (const element of [
      `<doc src="${src}" local/>`,
      `<import src="${src}"/>`,
      `<agent src="${src}" local>x</agent>`,
    ]) {
      const place = await makePlace(`<user>\n${element}\n</user>\n`)
      await link(place.outside, join(place.project, 'folder'))
      await link(join(place.outside, 'secret.txt'), join(place.project, 'link.txt'))
      const { result, seen } = await hostileRun(place, ['Hello.'])
      expect(result).toMatchObject({ status: 'failed', code: 'RUN_BAD_DOCUMENT' })
      expect(seen).not.toContain(OUTSIDE)
    }
  }
})

test.each(['../outside/old.chatmd', 'link.chatmd'])(
  'a document cannot have the recording %s as its model, its user can',
  async name => {
    const place = await makePlace(`<config model="replay:${name}"/>\n<user>\nHi\n</user>\n`, {
      'outside/old.chatmd': `<user>\nHi\n</user>\n<assistant>\n${OUTSIDE}\n</assistant>\n`,
    })
    await link(join(place.outside, 'old.chatmd'), join(place.project, 'link.chatmd'))
    const shared = { cwd: place.project, configFolder: place.config }
    const refused = await follow(runDocument(place.file, { ...shared, env: {} }))
    expect(refused.result).toMatchObject({
      status: 'failed',
      code: 'RUN_BAD_DOCUMENT',
      diagnostics: [expect.objectContaining({ code: 'CHATMD_PATH_OUTSIDE' })],
    })
    expect(JSON.stringify(refused.chunks)).not.toContain(OUTSIDE)
    await put(place.file, '<user>\nHi\n</user>\n')
    await put(join(place.project, 'argot.config.json'), JSON.stringify({ model: `replay:${name}` }))
    const project = await follow(runDocument(place.file, { ...shared, env: {} }))
    expect(project.result).toMatchObject({ status: 'failed', code: 'CHATMD_PATH_OUTSIDE' })
    const users = await follow(runDocument(place.file, { ...shared, env: { ARGOT_MODEL: `replay:${name}` } }))
    expect(users.result).toMatchObject({ status: 'done', text: expect.stringContaining(OUTSIDE) })
  },
)
