import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type RunOptions, runDocument } from '@argot/agent'
import { describe, expect, test } from 'vitest'
import { scriptedModel } from '../scripted-model.ts'
import { documentFolder, follow } from './document-folder.ts'

const document =
  '<system>\n<import src="rules.md"/>\n</system>\n\n<user>\nNotes: <doc src="notes.md" local/>\n</user>\n'
const files = { 'chat.chatmd': document, 'rules.md': 'Rule one.', 'notes.md': 'The first notes.' }

/** Runs the document with one answer, and gives what the model was sent. */
async function sent(folder: string, options: RunOptions = {}): Promise<string> {
  const model = scriptedModel([`Answer.`])
  const shared = { cwd: folder, env: {}, configFolder: join(folder, '..', 'config') }
  const { result } = await follow(runDocument('chat.chatmd', { ...shared, model, ...options }))
  if (result.status === 'failed') return `${result.code}: ${result.error}`
  return JSON.stringify(model.asked[0]?.prompt ?? 'nothing')
}

describe('what an answered turn brought in', () => {
  test('is sent again as it was when it has changed or is gone, while the new turn reads again', async () => {
    const folder = await documentFolder(files)
    expect(await sent(folder)).toContain('The first notes.')
    await writeFile(join(folder, 'notes.md'), 'The second notes.')
    await rm(join(folder, 'rules.md'))
    const again = await sent(folder, { input: 'And?' })
    expect(again).toContain('The first notes.')
    expect(again).toContain('Rule one.')
    expect(again).not.toContain('The second notes.')
    const text = await readFile(join(folder, 'chat.chatmd'), 'utf8')
    await writeFile(join(folder, 'chat.chatmd'), `${text}\n<user>\nNow: <doc src="notes.md" local/>\n</user>\n`)
    const both = await sent(folder)
    expect(both).toContain('Notes: The first notes.')
    expect(both).toContain('Now: The second notes.')
    await rm(join(folder, 'notes.md'))
    const gone = await sent(folder, { input: 'And now?' })
    expect(gone).toContain('Notes: The first notes.')
    expect(gone).toContain('Now: The second notes.')
  })

  test('is read again with refresh, and where the element says live', async () => {
    const folder = await documentFolder({ ...files, 'chat.chatmd': document.replace('local/>', 'local live/>') })
    await sent(folder)
    await writeFile(join(folder, 'notes.md'), 'The second notes.')
    await writeFile(join(folder, 'rules.md'), 'Rule two.')
    const live = await sent(folder, { input: 'And?' })
    expect(live).toContain('The second notes.')
    expect(live).toContain('Rule one.')
    expect(await sent(folder, { input: 'And?', refresh: true })).toContain('Rule two.')
  })

  test('is not believed when somebody has changed what was kept', async () => {
    const folder = await documentFolder(files)
    await sent(folder)
    const sources = join(folder, '.chatmd/sources')
    for (const name of await readdir(sources)) {
      if (/^[0-9a-f]{64}$/.test(name)) await writeFile(join(sources, name), 'A forged text.')
    }
    const again = await sent(folder, { input: 'And?' })
    expect(again).not.toContain('A forged text.')
    expect(again).toContain('The first notes.')
  })

  test.each([
    ['no JSON', '{"places":'],
    ['no list', '{"places":{"length":1e9}}'],
    ['hashes that are paths', '{"places":[{"place":"x","hash":"../../../secret","file":"f"},null,{"__proto__":1}]}'],
  ])('survives an index with %s', async (_, index) => {
    const folder = await documentFolder(files)
    await mkdir(join(folder, '.chatmd/sources'), { recursive: true })
    await writeFile(join(folder, '.chatmd/sources/chat.chatmd.json'), index)
    expect(await sent(folder)).toContain('The first notes.')
  })
})

describe('an agent in the text', () => {
  const talk = '<config temperature="0"/>\n<user>\nHe says: <agent src="helper.chatmd" local>one</agent>\n</user>\n'
  const isHelper = (prompt: unknown) => JSON.stringify(prompt).includes('You are the helper')

  async function place(document = talk, helper = '<system>\nYou are the helper.\n</system>\n') {
    const folder = await documentFolder({ 'chat.chatmd': document, 'helper.chatmd': helper })
    const asked: string[] = []
    const run = async (options: RunOptions = {}) => {
      const model = scriptedModel([
        ({ prompt }) => {
          asked.push(isHelper(prompt) ? 'helper' : 'main')
          return isHelper(prompt) ? `help ${asked.length}` : 'Done.'
        },
      ])
      const shared = { cwd: folder, env: {}, configFolder: join(folder, 'config') }
      const { result } = await follow(runDocument('chat.chatmd', { ...shared, model, ...options }))
      const main = model.asked.find(({ prompt }) => !isHelper(prompt))
      return { result, prompt: JSON.stringify(main?.prompt) }
    }
    return { folder, asked, run, file: join(folder, 'chat.chatmd') }
  }

  test('is asked once: later runs, and copies of the document, have its answer', async () => {
    const { asked, run, file } = await place()
    expect((await run()).prompt).toContain('He says: help 1')
    expect((await run({ input: 'And?' })).prompt).toContain('He says: help 1')
    expect(asked).toEqual(['helper', 'main', 'main'])
    await writeFile(file, talk)
    expect((await run()).prompt).toContain('He says: help 1')
    expect(asked).toEqual(['helper', 'main', 'main', 'main'])
    await writeFile(file, talk)
    expect((await run({ cache: false })).prompt).toContain('He says: help 5')
  })

  test('is asked again when its answer is older than it may be', async () => {
    const { asked, run, file } = await place()
    const day = 24 * 60 * 60 * 1000
    const ask = async (now: number, more: RunOptions = {}) => {
      await writeFile(file, talk)
      const before = asked.filter(one => one === 'helper').length
      await run({ now: () => now, ...more })
      return asked.filter(one => one === 'helper').length > before
    }
    expect(await ask(0)).toBe(true)
    expect(await ask(29 * day)).toBe(false)
    expect(await ask(29 * day, { cacheMs: 28 * day })).toBe(true)
    expect(await ask(29 * day + 31 * day)).toBe(true)
    expect(await ask(100 * day, { cacheMs: 365 * day })).toBe(false)
  })

  test('is asked again for another input, another document, another model setting', async () => {
    const { asked, run, file, folder } = await place()
    await run()
    await writeFile(file, talk.replace('>one<', '>two<'))
    await run()
    await writeFile(file, talk)
    await writeFile(join(folder, 'helper.chatmd'), '<system>\nYou are the helper, and brief.\n</system>\n')
    await run()
    await writeFile(
      join(folder, 'helper.chatmd'),
      '<config temperature="1"/>\n<system>\nYou are the helper, and brief.\n</system>\n',
    )
    await writeFile(file, talk)
    await run()
    expect(asked.filter(one => one === 'helper')).toHaveLength(4)
  })

  test('is not asked before everything that costs nothing is known to be right', async () => {
    const wrong = [
      ['an unknown tool', `<tool name="no_such"/>\n${talk}`],
      ['a missing file', `${talk.replace('</user>', '<doc src="gone.md" local/></user>')}`],
      ['nothing to answer', `${talk}\n<assistant>\nDone.\n</assistant>\n`],
    ] as const
    for (const [, document] of wrong) {
      const { asked, run } = await place(document)
      expect((await run()).result.status).toBe('failed')
      expect(asked).toEqual([])
    }
  })

  test('keeps its answer for an answered turn when its document is gone', async () => {
    const { asked, run, folder } = await place()
    await run()
    await rm(join(folder, 'helper.chatmd'))
    await rm(join(folder, '.chatmd/cache'), { recursive: true })
    expect((await run({ input: 'And?' })).prompt).toContain('He says: help 1')
    expect(asked).toEqual(['helper', 'main', 'main'])
  })

  test('does not get an answer that somebody else has put there', async () => {
    const { asked, run, folder, file } = await place()
    await run()
    const cache = join(folder, '.chatmd/cache')
    for (const name of await readdir(cache)) {
      const text = await readFile(join(cache, name), 'utf8')
      await writeFile(join(cache, name), text.replace('help 1', 'forged'))
    }
    await rm(join(folder, '.chatmd/sources'), { recursive: true })
    await writeFile(file, talk)
    expect((await run()).prompt).toContain('He says: help 3')
    expect(asked).toEqual(['helper', 'main', 'helper', 'main'])
  })

  test('is asked again when its answer is old', async () => {
    const { asked, run, file } = await place()
    await run({ now: () => 1e12 })
    await writeFile(file, talk)
    await run({ now: () => 1e12 + 40 * 24 * 60 * 60 * 1000 })
    expect(asked).toEqual(['helper', 'main', 'helper', 'main'])
  })
})
