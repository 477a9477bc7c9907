import { copyFile, readFile, rename, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { runDocument } from '@argot/agent'
import { previewDocument } from '@argot/agent/workshop'
import { describe, expect, test } from 'vitest'
import { fakeTool } from '../loop/fake-tools.ts'
import { filesBelow, follow } from '../run/document-folder.ts'
import { call, finish, type ScriptedStep } from '../scripted-model.ts'
import { reply, serve } from '../web/server.ts'
import { callsThenAnswer, expectReadBack, hostileRun, makePlace, OUTSIDE, type Place, put } from './hostile-run.ts'

const env = { PATH: process.env.PATH }
const touch = `require('node:fs').writeFileSync('started', 'x')`
const withCommand = '<tool name="run" command="node touch.cjs"/>\n<user>\nGo.\n</user>\n'

async function started({ project }: Place): Promise<boolean> {
  return (await filesBelow(project)).includes('started')
}

describe('a command without trust', () => {
  test('is not offered, cannot be called, and starts nothing', async () => {
    const place = await makePlace(withCommand, { 'project/touch.cjs': touch })
    const options = { env, approve: 'all' } as const
    const { calls, notices, model } = await hostileRun(place, callsThenAnswer(['run', {}]), options)
    expect(model.asked[0]!.tools ?? []).toEqual([])
    expect(calls).toMatchObject([
      { state: 'output-error', resultProviderMetadata: { argot: { code: 'TOOL_NOT_FOUND' } } },
    ])
    expect(notices).toEqual([expect.stringMatching(/`run` is left out.*--allow-exec/)])
    expect(await started(place)).toBe(false)
    expect(await filesBelow(place.config)).toEqual(['keep.txt', 'state.key'])
  })

  test('fails the run where nobody can be asked, and says where it stands', async () => {
    const place = await makePlace(withCommand, { 'project/touch.cjs': touch })
    const { result, model } = await hostileRun(place, ['No.'], { env, approve: 'all', skipUntrusted: false })
    expect(result).toMatchObject({
      status: 'failed',
      code: 'TOOL_NOT_TRUSTED',
      diagnostics: [{ code: 'TOOL_NOT_TRUSTED', severity: 'error', range: { start: { line: 1, column: 1 } } }],
    })
    expect(model.asked).toEqual([])
    expect(await readFile(place.file, 'utf8')).toBe(withCommand)
  })

  test('is only listed by a dry run: nobody is asked, nothing is started or remembered', async () => {
    const place = await makePlace(withCommand, { 'project/touch.cjs': touch })
    const trust = () => Promise.reject(new Error('asked'))
    const shared = { cwd: place.project, env, configFolder: place.config, model: 'demo', trust }
    const { tools } = await previewDocument(place.file, shared)
    expect(tools.map(({ name }) => name)).toEqual(['run'])
    expect(await started(place)).toBe(false)
    expect(await filesBelow(place.config)).toEqual(['keep.txt'])
  })

  test('stays unasked about after a no, and each call still needs its approval after a yes', async () => {
    const place = await makePlace(withCommand, { 'project/touch.cjs': touch })
    const questions: unknown[] = []
    const no = async (question: unknown) => {
      questions.push(question)
      return false
    }
    await hostileRun(place, ['No.'], { env, trust: no })
    expect(questions).toMatchObject([{ file: place.file, command: 'node touch.cjs', identity: { files: [{}] } }])
    await put(place.file, withCommand)
    const { calls } = await hostileRun(place, callsThenAnswer(['run', {}]), { env, trust: async () => true })
    expect(calls).toMatchObject([{ resultProviderMetadata: { argot: { code: 'TOOL_NEEDS_APPROVAL' } } }])
    expect(await started(place)).toBe(false)
  })
})

test('trust holds for the exact command in the exact document, and nothing else', async () => {
  const place = await makePlace(withCommand, { 'project/touch.cjs': touch })
  await hostileRun(place, ['Hello.'], { env, trust: async () => true })
  await put(place.file, withCommand)
  const offered = async (file: string): Promise<number> => {
    const { model } = await hostileRun({ ...place, file }, ['Hello.'], { env })
    return model.asked[0]!.tools?.length ?? 0
  }
  const other = (command: string) => put(place.file, withCommand.replace('node touch.cjs', command))
  expect(await offered(place.file)).toBe(1)
  for (const command of [
    'node  touch.cjs',
    'node\ttouch.cjs',
    'node ./touch.cjs',
    'node touch.cjs x',
    'NODE touch.cjs',
  ]) {
    await other(command)
    expect([command, await offered(place.file)]).toEqual([command, 0])
  }
  await other('node touch.cjs')
  const copy = join(place.project, 'copy.chatmd')
  await copyFile(place.file, copy)
  expect(await offered(copy)).toBe(0)
  const linked = join(place.project, 'linked.chatmd')
  await symlink('chat.chatmd', linked)
  expect(await offered(linked)).toBe(1)
  await put(place.file, withCommand)
  await rename(place.file, join(place.project, 'moved.chatmd'))
  expect(await offered(join(place.project, 'moved.chatmd'))).toBe(0)
})

test('a project cannot bring its own trust, nor a tool write it', async () => {
  const place = await makePlace(`<tool name="write_file"/>\n${withCommand}`, { 'project/touch.cjs': touch })
  const entry = { file: place.file, command: 'node touch.cjs', time: new Date(0).toISOString() }
  const trusted = JSON.stringify({ version: 1, commands: [entry] })
  await put(join(place.project, 'trust.json'), trusted)
  await put(join(place.project, '.config/argot/trust.json'), trusted)
  const steps = callsThenAnswer(
    ['write_file', { path: join(place.config, 'trust.json'), content: trusted }],
    ['run', {}],
  )
  const { calls } = await hostileRun(place, steps, { env, approve: 'all', allowPaths: [place.base] })
  expect(calls.map(one => one.resultProviderMetadata?.argot?.code)).toEqual(['TOOL_PATH_PROTECTED', 'TOOL_NOT_FOUND'])
  expect(await started(place)).toBe(false)
})

describe('the settings of a project', () => {
  const document = '<tool name="write_file"/>\n<user>\nGo.\n</user>\n'
  const write = callsThenAnswer(['write_file', { path: 'new.txt', content: 'x' }])

  test.each([
    ['the user says nothing', undefined, '"all"', 'TOOL_NEEDS_APPROVAL'],
    ['the user says readonly', 'readonly', '"all"', 'TOOL_NOT_ALLOWED'],
    ['the user says none', 'none', '{"default":"all","write_file":"all"}', 'TOOL_NOT_ALLOWED'],
    ['the user says all and the project readonly', 'all', '"readonly"', 'TOOL_NOT_ALLOWED'],
    ['the user says all and the project names the tool', 'all', '{"write_file":"none"}', 'TOOL_NOT_ALLOWED'],
  ] as const)('cannot make approvals looser: %s', async (_, approve, project, code) => {
    const place = await makePlace(document, { 'project/argot.config.json': `{ "approve": ${project} }` })
    const { calls } = await hostileRun(place, write, approve === undefined ? {} : { approve })
    expect(calls).toMatchObject([{ state: 'output-error', resultProviderMetadata: { argot: { code } } }])
    expect(await filesBelow(place.project)).not.toContain('new.txt')
  })

  test('hold for the sub-agents of its documents too, wherever those lie', async () => {
    const place = await makePlace(
      '<tool name="helper" agent="../other/helper.chatmd" local/>\n<user>\nGo.\n</user>\n',
      {
        'project/argot.config.json': '{ "approve": { "default": "readonly", "helper": "all" } }',
        'other/helper.chatmd': '<tool name="write_file"/>\n<system>\nYou are the helper.\n</system>\n',
      },
    )
    const told: string[] = []
    const [first, last] = callsThenAnswer(['helper', { input: 'x' }])
    const model: ScriptedStep = ({ prompt }) => {
      const isHelper = JSON.stringify(prompt).includes('You are the helper.')
      const results = prompt.filter(({ role }) => role === 'tool')
      if (isHelper && results.length > 0) told.push(JSON.stringify(results))
      return (isHelper ? write : [first, last])[results.length] as string
    }
    await hostileRun(place, [model], { approve: 'all', allowPaths: [join(place.base, 'other')] })
    expect(told).toEqual([expect.stringContaining('readonly')])
    expect(await filesBelow(place.base)).not.toContain('project/new.txt')
  })
})

describe('what a document says about itself', () => {
  test.each(['0', '-1', '1001', '1e9', 'Infinity', 'NaN', '9007199254740993'])('max_steps="%s" is refused', async n => {
    const place = await makePlace(`<config max_steps="${n}"/>\n<user>\nGo.\n</user>\n`)
    const { result, model } = await hostileRun(place, ['Hello.'])
    expect(result).toMatchObject({ status: 'failed' })
    expect(model.asked).toEqual([])
  })

  test('what the user says about steps beats it', async () => {
    const place = await makePlace('<config max_steps="1000"/>\n<tool name="look"/>\n<user>\nGo.\n</user>\n')
    const steps = [[...call('c', 'look', {}), finish('tool-calls')]]
    const { model } = await hostileRun(place, steps, { maxSteps: 2, tools: [fakeTool('look', 'read')] })
    expect(model.asked).toHaveLength(2)
  })

  test('tools that an imported file declares need the same trust', async () => {
    const place = await makePlace('<import src="tools.chatmd"/>\n<user>\nGo.\n</user>\n', {
      'project/tools.chatmd': '<tool name="run" command="node touch.cjs"/>\n<tool name="write_file"/>\n',
      'project/touch.cjs': touch,
    })
    const steps = callsThenAnswer(['run', {}], ['write_file', { path: 'new.txt', content: 'x' }])
    const { calls } = await hostileRun(place, steps, { env })
    expect(calls.map(one => one.resultProviderMetadata?.argot?.code)).toEqual(['TOOL_NOT_FOUND', 'TOOL_NEEDS_APPROVAL'])
    expect(await started(place)).toBe(false)
  })

  test('a command of a sub-agent needs trust for its own document', async () => {
    const place = await makePlace(
      '<tool name="helper" agent="helper.chatmd" local/>\n<tool name="run" command="node touch.cjs"/>\n<user>\nGo.\n</user>\n',
      {
        'project/helper.chatmd':
          '<tool name="run" command="node touch.cjs"/>\n<system>\nYou are the helper.\n</system>\n',
        'project/touch.cjs': touch,
      },
    )
    const [first, last] = callsThenAnswer(['helper', { input: 'x' }])
    const own = callsThenAnswer(['run', {}])
    const model: ScriptedStep = ({ prompt, tools = [] }) => {
      const isHelper = JSON.stringify(prompt).includes('You are the helper.')
      expect(tools.map(({ name }) => name)).toEqual(isHelper ? [] : ['helper', 'run'])
      return (isHelper ? own : [first, last])[prompt.filter(({ role }) => role === 'tool').length] as string
    }
    const asked: string[] = []
    const trust = async ({ file }: { file: string }) => {
      asked.push(file)
      return file === place.file
    }
    const { result } = await hostileRun(place, [model], { env, approve: 'all', trust })
    expect(result.status).toBe('done')
    expect(asked).toEqual([place.file, join(place.project, 'helper.chatmd')])
    expect(await started(place)).toBe(false)
  })
})

describe('a document from the web', () => {
  test.each(['in the text', 'as a tool'])('has no tools and no files of this machine (%s)', async where => {
    const remote = `<config model="replay:inside.txt"/>
<tool name="run" command="node touch.cjs"/>
<tool name="write_file"/>
<tool name="read_file"/>
<tool name="own"/>
<system>
You are the helper.
</system>
`
    const { url } = await serve(reply(remote, { 'content-type': 'text/plain' }))
    const place = await makePlace(
      where === 'as a tool'
        ? `<tool name="helper" agent="${url}/helper.chatmd"/>\n<user>\nGo.\n</user>\n`
        : `<user>\nHe says: <agent src="${url}/helper.chatmd">x</agent>\n</user>\n`,
      { 'project/touch.cjs': touch },
    )
    const own = fakeTool('own', 'read')
    const helper = callsThenAnswer(
      ['run', {}],
      ['write_file', { path: 'new.txt', content: 'x' }],
      ['read_file', { path: 'inside.txt' }],
      ['own', {}],
    )
    const told: string[] = []
    const model: ScriptedStep = ({ prompt, tools = [] }) => {
      const results = prompt.filter(({ role }) => role === 'tool')
      if (!JSON.stringify(prompt).includes('You are the helper.')) {
        if (where === 'in the text' || results.length > 0) return 'Done.'
        return [...call('h', 'helper', { input: 'x' }), finish('tool-calls')]
      }
      expect(tools).toEqual([])
      if (results.length > 0) told.push(JSON.stringify(results.at(-1)))
      return helper[results.length] as string
    }
    const { result } = await hostileRun(place, [model], {
      ...{ env, approve: 'all', allowExec: true, allowPrivateAddresses: true, tools: [own] },
    })
    expect(result).toMatchObject({ status: 'done', text: 'Done.' })
    expect(told).toHaveLength(4)
    for (const one of told) expect(one).toContain('There are no tools.')
    expect(own.inputs).toEqual([])
    expect(await filesBelow(place.project)).not.toContain('new.txt')
    expect(await started(place)).toBe(false)
  })

  test.each([
    '<doc src="inside.txt" local/>',
    '<img src="inside.txt" local/>',
    '<agent src="chat.chatmd" local>x</agent>',
    '<import src="file:///etc/hostname"/>',
  ])('cannot take in %s', async element => {
    const { url } = await serve(reply(`<user>\n${element}\n</user>\n`))
    const place = await makePlace(`<user>\n<agent src="${url}/x.chatmd">x</agent>\n</user>\n`)
    const { result, model } = await hostileRun(place, ['Done.'], { allowPrivateAddresses: true })
    expect(result).toMatchObject({ status: 'failed', code: 'RUN_BAD_DOCUMENT' })
    expect(JSON.stringify(model.asked)).not.toContain('inside')
  })

  test('cannot have a file of this machine as its model', async () => {
    const said = `<user>\nHi\n</user>\n<assistant>\n${OUTSIDE}\n</assistant>\n`
    const place = await makePlace('', { 'project/old.chatmd': said })
    const { url } = await serve(reply(`<config model="replay:${place.project}/old.chatmd"/>\n<system>\nx\n</system>\n`))
    await put(place.file, `<config model="demo"/>\n<user>\n<agent src="${url}/x.chatmd">x</agent>\n</user>\n`)
    const shared = { cwd: place.project, env: {}, configFolder: place.config, allowPrivateAddresses: true }
    const { result, chunks } = await follow(runDocument(place.file, shared))
    expect(result).toMatchObject({ status: 'failed', error: expect.stringContaining('is outside the folders') })
    expect(JSON.stringify(chunks)).not.toContain(OUTSIDE)
  })
})

describe('private addresses', () => {
  const hosts = [
    'http://localhost',
    'http://127.0.0.1',
    'http://[::1]',
    'http://[::ffff:127.0.0.1]',
    'http://2130706433',
  ]

  test('are not fetched by webpage_to_markdown', async () => {
    const { port, requests } = await serve(reply(OUTSIDE))
    const place = await makePlace('<tool name="webpage_to_markdown"/>\n<user>\nGo.\n</user>\n')
    const urls = [
      ...hosts.map(host => `${host}:${port}/`),
      'http://169.254.169.254/latest/meta-data/',
      'http://10.0.0.1/',
      'file:///etc/hostname',
      `http://user:pass@127.0.0.1:${port}/`,
    ]
    const steps = callsThenAnswer(...urls.map(url => ['webpage_to_markdown', { url }] as [string, unknown]))
    const { calls, seen } = await hostileRun(place, steps, { approve: 'all' })
    expect(calls.map(({ state }) => state)).toEqual(urls.map(() => 'output-error'))
    expect(seen).not.toContain(OUTSIDE)
    expect(requests).toEqual([])
  })

  test('are not reached by a redirect either', async () => {
    const inner = await serve(reply(OUTSIDE), '127.0.0.2')
    const outer = await serve((request, response) => {
      response.writeHead(302, { location: request.url === '/file' ? 'file:///etc/hostname' : `${inner.url}/` })
      response.end()
    })
    const place = await makePlace('<tool name="webpage_to_markdown"/>\n<user>\nGo.\n</user>\n')
    const steps = callsThenAnswer(
      ['webpage_to_markdown', { url: `${outer.url}/` }],
      ['webpage_to_markdown', { url: `${outer.url}/file` }],
    )
    const allowed = { approve: 'all', allowPrivateAddresses: ['127.0.0.1'] } as const
    const { calls } = await hostileRun(place, steps, allowed)
    expect(calls.map(({ state }) => state)).toEqual(['output-error', 'output-error'])
    expect([outer.requests.length, inner.requests.length]).toEqual([2, 0])
  })

  test.each(['img', 'doc', 'agent', 'import'])('are not fetched for <%s>', async element => {
    const { url, requests } = await serve(reply(OUTSIDE))
    const place = await makePlace(`<user>\n<${element} src="${url}/x.png"/>\n</user>\n`)
    const { result, model } = await hostileRun(place, ['Done.'])
    expect(result).toMatchObject({ status: 'failed' })
    expect([model.asked, requests]).toEqual([[], []])
  })

  test('are not fetched for a provider that cannot read an image itself, also behind a redirect', async () => {
    const inner = await serve(reply('GIF89a', { 'content-type': 'image/gif' }), '127.0.0.2')
    const outer = await serve((_, response) => {
      response.writeHead(302, { location: `${inner.url}/x.gif` })
      response.end()
    })
    const place = await makePlace(`<user>\n<img src="${outer.url}/x.gif"/>\n</user>\n`)
    const { result, model } = await hostileRun(place, ['Done.'], { allowPrivateAddresses: ['127.0.0.1'] })
    expect(result).toMatchObject({ status: 'failed' })
    expect(model.asked).toEqual([])
    expect(inner.requests).toEqual([])
    expect(outer.requests).toHaveLength(1)
    expect(await readFile(place.file, 'utf8')).not.toContain('GIF89a')
  })
})

test('a tool that the document does not declare is not callable, even if it exists', async () => {
  const place = await makePlace('<tool name="read_file"/>\n<user>\nGo.\n</user>\n')
  const own = fakeTool('own', 'read')
  const steps = callsThenAnswer(
    ['write_file', { path: 'new.txt', content: 'x' }],
    ['own', {}],
    ['READ_FILE', { path: 'x' }],
  )
  const { calls, result } = await hostileRun(place, steps, { approve: 'all', tools: [own] })
  expect(calls.map(one => one.resultProviderMetadata?.argot?.code)).toEqual(Array(3).fill('TOOL_NOT_FOUND'))
  expect(own.inputs).toEqual([])
  await expectReadBack(place, result)
})
