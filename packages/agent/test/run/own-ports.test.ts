import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type RunOptions, runDocument } from '@argot/agent'
import { checkDocument, previewDocument, type TrustStore } from '@argot/agent/workshop'
import type { ResolveRequest, Resolver } from '@argot/core/chatmd'
import { describe, expect, test } from 'vitest'
import { fakeTool } from '../loop/fake-tools.ts'
import { call, finish, scriptedModel } from '../scripted-model.ts'
import { documentFolder, follow } from './document-folder.ts'

/** Reads from a table, and notes what it is asked for. */
function tableResolver(texts: Record<string, string>): Resolver & { asked: ResolveRequest[] } {
  const asked: ResolveRequest[] = []
  return {
    asked,
    async resolve(request) {
      asked.push(request)
      const text = texts[request.src]
      if (text !== undefined) return { ok: true, text, file: `table:${request.src}` }
      return { ok: false, problem: { code: 'CHATMD_FILE_NOT_FOUND', message: `The table has no ${request.src}.` } }
    },
  }
}

async function place(source: string, options: RunOptions = {}) {
  const folder = await documentFolder({ 'chat.chatmd': source, 'notes.md': 'From the disk.' })
  const shared: RunOptions = {
    cwd: folder,
    configFolder: join(folder, 'config'),
    env: { PATH: process.env.PATH },
    ...options,
  }
  return { file: join(folder, 'chat.chatmd'), shared }
}

describe("a resolver of one's own", () => {
  const source = '<user>\nNotes: <doc src="notes.md" local/>\n</user>\n'

  test('reads what the document names, in a run, a preview and a check', async () => {
    const resolver = tableResolver({ 'notes.md': 'From the table.' })
    const model = scriptedModel(['Done.'])
    const { file, shared } = await place(source, { resolver, model })
    expect((await checkDocument({ file, text: source }, shared)).diagnostics).toEqual([])
    expect(JSON.stringify((await previewDocument(file, shared)).messages)).toContain('From the table.')
    const { result } = await follow(runDocument(file, shared))
    expect(result.status).toBe('done')
    expect(JSON.stringify(model.asked[0]!.prompt)).toContain('From the table.')
    expect(JSON.stringify(model.asked[0]!.prompt)).not.toContain('From the disk.')
  })

  test('says what it refuses, in a run, a preview and a check', async () => {
    const { file, shared } = await place(source, { resolver: tableResolver({}), model: scriptedModel(['Done.']) })
    const refused = [expect.objectContaining({ code: 'CHATMD_FILE_NOT_FOUND', message: 'The table has no notes.md.' })]
    expect((await checkDocument({ file, text: source }, shared)).diagnostics).toEqual(refused)
    expect((await previewDocument(file, shared)).diagnostics).toEqual(refused)
    expect(await runDocument(file, shared).result).toMatchObject({ status: 'failed', diagnostics: refused })
  })

  test('reads for the agents of the document too', async () => {
    const agent = '<system>\nYou know <doc src="notes.md" local/>\n</system>\n'
    const resolver = tableResolver({ 'a.chatmd': agent, 'notes.md': 'From the table.' })
    const model = scriptedModel(['Known.', 'Done.'])
    const asking = '<user>\n<agent src="a.chatmd" local>Hi</agent>\n</user>\n'
    const { file, shared } = await place(asking, { resolver, model })
    expect(await runDocument(file, shared).result).toMatchObject({ status: 'done', text: 'Done.' })
    expect(JSON.stringify(model.asked[0]!.prompt)).toContain('From the table.')
  })

  test('is not asked for what a run wrote beside the document', async () => {
    const resolver = tableResolver({ 'notes.md': 'From the table.' })
    const { file, shared } = await place(`<tool name="look"/>\n${source}`, {
      resolver,
      tools: [fakeTool('look', 'read')],
    })
    const first = scriptedModel([[...call('c1', 'look', {}), finish('tool-calls')], 'Seen.'])
    expect(await runDocument(file, { ...shared, model: first }).result).toMatchObject({ status: 'done' })
    const second = scriptedModel(['Again.'])
    expect(await runDocument(file, { ...shared, model: second, input: 'More.' }).result).toMatchObject({
      text: 'Again.',
    })
    expect(await readFile(file, 'utf8')).toContain('.chatmd/')
    expect(new Set(resolver.asked.map(({ kind }) => kind))).toEqual(new Set(['doc']))
  })
})

test("a trust store of one's own is asked and told, and the config folder is not", async () => {
  const trusted: string[] = []
  const trustStore: TrustStore = {
    isTrusted: async ({ command }) => trusted.includes(command),
    trust: async ({ command }) => void trusted.push(command),
    forget: async () => false,
    list: async () => [],
  }
  const { file, shared } = await place('<tool name="run" command="true"/>\n<user>\nGo.\n</user>\n', { trustStore })
  const offered = async (trust?: RunOptions['trust']): Promise<number> => {
    const model = scriptedModel(['Done.'])
    await runDocument(file, { ...shared, model, trust, skipUntrusted: true, input: 'Go.' }).result
    return (model.asked[0]!.tools ?? []).length
  }
  expect(await offered()).toBe(0)
  expect(await offered(async () => true)).toBe(1)
  expect(trusted).toEqual(['true'])
  expect(await offered()).toBe(1)
  await expect(readFile(join(shared.configFolder!, 'trust.json'))).rejects.toThrow('ENOENT')
})
