import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ApprovalRequest, defineTool } from '@argot/agent'
import { previewDocument } from '@argot/agent/workshop'
import { describe, expect, test } from 'vitest'
import { filesBelow } from '../run/document-folder.ts'
import type { ScriptedStep } from '../scripted-model.ts'
import { reply, serve } from '../web/server.ts'
import { callsThenAnswer, hostileRun, link, makePlace } from './hostile-run.ts'

const document =
  '<tool name="write_file"/>\n<tool name="read_file"/>\n<tool name="apply_patch"/>\n<user>\nGo.\n</user>\n'
const env = { PATH: process.env.PATH }

const write = (path: string): [string, unknown] => ['write_file', { path, content: 'x' }]

describe('rules by argument in a whole run', () => {
  test('let calls run, deny them, and name the rule that denied', async () => {
    const place = await makePlace(document, { 'project/docs/a.md': 'a', 'project/src/a.ts': 'a' })
    await link('../src', join(place.project, 'docs/link'))
    const patch = '*** Begin Patch\n*** Add File: docs/b.md\n+b\n*** Add File: src/b.ts\n+b\n*** End Patch\n'
    const steps = callsThenAnswer(
      ...['docs/new.md', 'docs/../src/x.ts', 'docs/link/x.ts', 'notes.md'].map(write),
      ['apply_patch', { patch }],
      ['read_file', { file: 'inside.txt' }],
    )
    const rules = { allow: ['write_file(docs/**)', 'apply_patch'], deny: ['*(src/**)', 'read_file(inside.txt)'] }
    const { calls } = await hostileRun(place, steps, { rules })
    expect(calls.map(one => one.resultProviderMetadata?.argot?.code ?? one.state)).toEqual([
      'output-available',
      'TOOL_NOT_ALLOWED',
      'TOOL_NOT_ALLOWED',
      'TOOL_NEEDS_APPROVAL',
      'TOOL_NOT_ALLOWED',
      'TOOL_NOT_ALLOWED',
    ])
    expect(calls[1]).toMatchObject({ errorText: expect.stringContaining('the rule `deny *(src/**)`') })
    expect(calls[3]).toMatchObject({ errorText: expect.stringContaining("--allow 'write_file(*)'") })
    expect(await filesBelow(place.project)).not.toContain('src/x.ts')
  })

  test('of a project ask and deny, and allow nothing', async () => {
    const place = await makePlace(document, {
      'project/argot.config.json':
        '{ "allow": ["write_file"], "deny": ["write_file(ci/**)"], "ask": ["read_file(*.txt)"] }',
      'config/argot.config.json': '{ "allow": ["write_file(docs/**)", "write_file(ci/**)", "read_file"] }',
    })
    const steps = callsThenAnswer(write('a'), write('docs/a'), write('ci/a'), ['read_file', { path: 'inside.txt' }])
    const { calls, notices } = await hostileRun(place, steps)
    expect(calls.map(one => one.resultProviderMetadata?.argot?.code ?? one.state)).toEqual([
      'TOOL_NEEDS_APPROVAL',
      'output-available',
      'TOOL_NOT_ALLOWED',
      'TOOL_NEEDS_APPROVAL',
    ])
    expect(calls[3]).toMatchObject({
      errorText: expect.stringMatching(/the rule `ask read_file\(\*\.txt\)`.*requires approval/),
    })
    expect(notices).toEqual([expect.stringMatching(/`allow` in .* is ignored/)])
  })

  test('of a project hold for its sub-agents, which bring none that allow', async () => {
    const place = await makePlace(
      '<tool name="helper" agent="../other/helper.chatmd" local/>\n<user>\nGo.\n</user>\n',
      {
        'project/argot.config.json': '{ "deny": ["write_file"], "approve": { "helper": "all" } }',
        'other/helper.chatmd': '<tool name="write_file"/>\n<system>\nYou are the helper.\n</system>\n',
        'other/argot.config.json': '{ "allow": ["write_file"] }',
      },
    )
    const told: string[] = []
    const model: ScriptedStep = ({ prompt }) => {
      const isHelper = JSON.stringify(prompt).includes('You are the helper.')
      const results = prompt.filter(({ role }) => role === 'tool')
      if (isHelper && results.length > 0) told.push(JSON.stringify(results))
      return (isHelper ? callsThenAnswer(write('new.txt')) : callsThenAnswer(['helper', { input: 'x' }]))[
        results.length
      ] as string
    }
    await hostileRun(place, [model], { approve: 'all', allowPaths: [join(place.base, 'other')] })
    expect(told).toEqual([expect.stringContaining('deny write_file')])
  })

  test('on a command look at the program, whatever the document calls it', async () => {
    const place = await makePlace(
      '<tool name="git" command="node -e"/>\n<tool name="look" command="node --version"/>\n<user>\nGo.\n</user>\n',
    )
    const steps = callsThenAnswer(
      ['git', { arguments: ['status'] }],
      ['look', {}],
      ['look', { arguments: ['-e', '1'] }],
    )
    const rules = { allow: ['git', 'git(**)', 'node(--version)'] }
    const { calls } = await hostileRun(place, steps, { rules, allowExec: true, env })
    expect(calls.map(one => one.resultProviderMetadata?.argot?.code ?? one.state)).toEqual([
      'TOOL_NEEDS_APPROVAL',
      'output-available',
      'TOOL_NEEDS_APPROVAL',
    ])
  })

  test('say in the question which one asked, what "always" adds, and what the call changes', async () => {
    const place = await makePlace(document)
    const asked: ApprovalRequest[] = []
    const ask = async (request: ApprovalRequest) => {
      asked.push(request)
      return { approved: true, always: true }
    }
    const steps = callsThenAnswer(
      ['write_file', { path: 'inside.txt', content: 'new\n' }],
      write('b.txt'),
      write('src/b'),
    )
    await hostileRun(place, steps, { ask, rules: { ask: ['write_file(*)'] }, approve: 'all' })
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatchObject({
      rule: '`ask write_file(*)` (`--ask`)',
      always: 'write_file(*)',
      subject: { kind: 'path', paths: ['inside.txt'] },
      changes: [{ path: 'inside.txt', operation: 'update', linesBefore: 1, linesAfter: 1 }],
    })
    expect(asked[0]!.changes![0]!.diff).toContain('-inside\n+new\n')
  })

  test('hold for what a person has edited', async () => {
    const place = await makePlace(document)
    const problems: unknown[] = []
    const ask = async ({ checkInput }: ApprovalRequest) => {
      const edited = [{ path: 'ci/a', content: 'x' }, { path: 'a' }, { path: 'a', content: 'x' }]
      for (const input of edited) problems.push(await checkInput!(input))
      return { approved: true, input: edited[0] }
    }
    const { calls } = await hostileRun(place, callsThenAnswer(write('a')), {
      ask,
      rules: { deny: ['write_file(ci/**)'] },
    })
    expect(problems).toEqual([
      expect.stringMatching(/deny write_file\(ci/),
      expect.stringMatching(/content/),
      undefined,
    ])
    expect(calls).toMatchObject([{ resultProviderMetadata: { argot: { code: 'TOOL_NOT_ALLOWED' } } }])
    expect(await filesBelow(place.project)).not.toContain('ci/a')
  })

  test('are shown by a dry run for each tool', async () => {
    const place = await makePlace(document)
    const rules = { allow: ['write_file(docs/**)'], deny: ['*(secrets/**)'] }
    const { approvals } = await previewDocument(place.file, {
      cwd: place.project,
      env: {},
      configFolder: place.config,
      model: 'demo',
      rules,
    })
    expect(approvals).toMatchObject([
      {
        toolName: 'write_file',
        decision: 'ask',
        rules: ['deny *(secrets/**) (`--deny`)', 'allow write_file(docs/**) (`--allow`)'],
      },
      { toolName: 'read_file', decision: 'run', rules: ['deny *(secrets/**) (`--deny`)'] },
      { toolName: 'apply_patch', decision: 'ask' },
    ])
  })

  test('look at what a tool in code says that it is about', async () => {
    const place = await makePlace('<tool name="deploy"/>\n<user>\nGo.\n</user>\n')
    const deploy = defineTool<{ to: string }>({
      name: 'deploy',
      description: 'Deploys.',
      inputSchema: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
      subject: ({ to }) => ({ kind: 'path', paths: [to] }),
      foresee: async ({ to }) => [{ path: to, operation: 'add', linesAfter: 1 }],
      execute: () => 'Deployed.',
    })
    const asked: ApprovalRequest[] = []
    const ask = async (request: ApprovalRequest) => {
      asked.push(request)
      return { approved: false }
    }
    const steps = callsThenAnswer(
      ['deploy', { to: 'staging/a' }],
      ['deploy', { to: 'live/a' }],
      ['deploy', { to: 'x' }],
    )
    const rules = { allow: ['deploy(staging/*)'], deny: ['deploy(live/**)'] }
    const { calls } = await hostileRun(place, steps, { tools: [deploy], rules, ask })
    expect(calls.map(({ state }) => state)).toEqual(['output-available', 'output-error', 'output-denied'])
    expect(asked).toMatchObject([{ always: 'deploy(*)', changes: [{ path: 'x' }] }])
  })

  test('on hosts are not left by a redirect', async () => {
    const target = await serve(reply('secret', { 'content-type': 'text/plain' }))
    const first = await serve((_, response) => {
      response.writeHead(302, { location: target.url.replace('127.0.0.1', 'localhost') }).end()
    })
    const place = await makePlace('<tool name="webpage_to_markdown"/>\n<user>\nGo.\n</user>\n')
    const steps = callsThenAnswer(['webpage_to_markdown', { url: first.url }])
    const shared = { allowPrivateAddresses: true, rules: { allow: ['webpage_to_markdown(127.0.0.1)'] } }
    const { calls } = await hostileRun(place, steps, shared)
    expect(calls).toMatchObject([
      { state: 'output-error', errorText: expect.stringContaining('no rule allows that host') },
    ])
    expect(await readFile(place.file, 'utf8')).not.toContain('secret')
  })
})
