import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderStore, type RunOptions, runDocument } from '@argot/agent'
import { type Lease, readDocumentFacts, TitleWriter } from '@argot/agent/internal'
import { visibleLine } from '@argot/core/stream/internal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toTitle } from '../../src/store/document-title.ts'
import { type ScriptedStep, scriptedModel } from '../scripted-model.ts'
import { documentFolder, follow } from './document-folder.ts'

const source = '<user>\nPlease sort my invoices\nby date.\n</user>\n'
const settings = (titles: string): string => JSON.stringify({ titles })

interface PlaceOptions {
  user?: string
  files?: Record<string, string>
  before?: Parameters<typeof scriptedModel>[1]
}

/** A document, a model that says these things, and a process that answers and asks for titles. */
async function place(steps: readonly ScriptedStep[], { user = 'model', files = {}, before }: PlaceOptions = {}) {
  const folder = await documentFolder({
    'chat.chatmd': source,
    'config/argot.config.json': settings(user),
    ...files,
  })
  const store = folderStore(folder, { key: Buffer.alloc(32, 1) })
  const model = scriptedModel(steps, before)
  const titles = new TitleWriter()
  const options: RunOptions = { env: {}, cwd: folder, configFolder: join(folder, 'config'), store, model }
  return {
    folder,
    store,
    model,
    titles,
    /** Answers a message; gives the rest of the work, which is about the title. */
    async answer(input?: string, more: RunOptions = {}): Promise<{ rest: Promise<void> }> {
      titles.begin('chat.chatmd')
      const own = { ...options, ...more }
      const { result } = await follow(runDocument('chat.chatmd', { ...own, input }))
      expect(result).toMatchObject({ status: 'done' })
      return { rest: titles.end('chat.chatmd', own, result) }
    },
    title: async () => (await readDocumentFacts(store, 'chat.chatmd')).title,
  }
}

test('the model is asked once, without tools, and the document stays as it is', async () => {
  const { answer, model, title, folder } = await place(['Done.', 'Sorting the invoices', 'Yes.'])
  const { rest } = await answer()
  const text = await readFile(join(folder, 'chat.chatmd'), 'utf8')
  await rest
  expect(await title()).toBe('Sorting the invoices')
  expect(await readFile(join(folder, 'chat.chatmd'), 'utf8')).toBe(text)
  const request = model.asked[1]!
  expect([request.tools, request.maxOutputTokens]).toEqual([undefined, 1000])
  expect(JSON.stringify(request.prompt)).toMatch(/Please sort my invoices.*Done\./)
  await (await answer('Really?')).rest
  expect(model.asked).toHaveLength(3)
})

test.each([
  ['the setting is off', { user: 'first-message' }],
  ["only the project's settings want it", { user: 'first-message', files: { 'argot.config.json': settings('model') } }],
  ['the project turns it off', { files: { 'argot.config.json': settings('first-message') } }],
])('no request if %s', async (_, options) => {
  const { answer, model, title } = await place(['Done.', 'No'], options)
  await (await answer()).rest
  expect(model.asked).toHaveLength(1)
  expect(await title()).toBe('Please sort my invoices')
})

test('no other model than the one that answered sees the conversation', async () => {
  const { answer, model, titles, folder } = await place(['Done.', 'No'])
  const { rest } = await answer()
  await titles.close()
  await rest
  const other = scriptedModel(['No'])
  const own = new TitleWriter()
  const result = { status: 'done', text: '', message: { metadata: { model: 'else:where' } } } as never
  await own.end('chat.chatmd', { env: {}, cwd: folder, configFolder: join(folder, 'config'), model: other }, result)
  expect(other.asked).toEqual([])
  expect(model.asked.length).toBeLessThan(3)
})

describe('what goes wrong with a title goes wrong with nothing else', () => {
  test('a model that fails is not asked again', async () => {
    const fail: ScriptedStep = () => {
      throw new Error('No titles today.')
    }
    const { answer, model, title } = await place(['Done.', fail, 'Yes.', 'Never'])
    await (await answer()).rest
    await (await answer('Really?')).rest
    expect(model.asked).toHaveLength(3)
    expect(await title()).toBe('Please sort my invoices')
  })

  test('a model that hangs and ignores everything holds up neither the next answer nor the end', async () => {
    let hung = (): void => {}
    const hangs = new Promise<void>(resolve => {
      hung = resolve
    })
    const before = {
      before: (_: unknown, step: number) => {
        if (step !== 1 && step !== 3) return undefined
        hung()
        return new Promise<void>(() => {})
      },
    }
    const { answer, model, titles, title } = await place(['Done.', 'Never', 'Yes.', 'Never'], { before })
    const first = await answer()
    await hangs
    const second = await answer('Really?')
    await first.rest
    await titles.close()
    await second.rest
    expect(model.asked.length).toBeLessThanOrEqual(4)
    expect(await title()).toBe('Please sort my invoices')
  })

  test('a title that comes while another process has the document is written after the next answer', async () => {
    let lease: Lease | undefined
    const before = {
      before: async (_: unknown, step: number) => {
        if (step === 1) lease ??= await store.leases.take('chat.chatmd')
      },
    }
    const steps = ['Done.', 'Sorting the invoices', 'Yes.', 'A second title']
    const { answer, model, store, title } = await place(steps, { before })
    await (await answer()).rest
    expect([model.asked.length, await title()]).toEqual([2, 'Please sort my invoices'])
    await lease!.release()
    await (await answer('Really?')).rest
    expect([model.asked.length, await title()]).toEqual([3, 'Sorting the invoices'])
  })
})

test('an edited first message has its own title, and a forged record is one harmless line', async () => {
  const { answer, folder, store, title } = await place(['Done.', 'Sorting the invoices'])
  await (await answer()).rest
  const file = join(folder, 'chat.chatmd')
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.replace('Please sort', 'Please burn'))
  expect(await title()).toBe('Please burn my invoices')
  await writeFile(file, text)
  const sidecar = join(folder, '.chatmd/sidecars/chat.chatmd.jsonl')
  const own = /\{"record":\{"title":"Sorting the invoices","first":"([^"]+)"\}\}\n/.exec(
    await readFile(sidecar, 'utf8'),
  )!
  const forged = { title: 'A\u001b]0;owned\u0007\nB', first: own[1], replaces: true, elements: 'none' }
  await writeFile(sidecar, `${await readFile(sidecar, 'utf8')}${JSON.stringify({ record: forged })}\n`)
  expect(await title()).toBe('A ]0;owned')
  const { records } = await store.sidecars.read('chat.chatmd')
  expect(records.some(({ isSigned }) => isSigned)).toBe(true)
})

test.each([
  ['"Sorting the invoices."\nSecond line', 'Sorting the invoices'],
  ['<think>\nWhat a day\n</think>\n\n## **Title: Invoices**', 'Invoices'],
  ['<think>\nnever ends', undefined],
  [' \n\t', undefined],
  ['evil\u202egnp.\u001b[2J\u0000', 'evil gnp. [2J'],
  ['x'.repeat(100), `${'x'.repeat(59)}…`],
])('%j becomes %j', (text, title) => {
  expect(toTitle(text)).toBe(title)
})

test('every title is one short visible line, and stays the same when it is read', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\\u{', '\\', '\u202e', '\u001b', '\ud800', '"', 'Title:', '…', '❤️', '<think>', '\n'),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), pieces => {
      const title = toTitle(pieces.join(''))
      if (title === undefined) return
      expect(title.length).toBeLessThanOrEqual(60)
      expect(visibleLine(title)).toBe(title)
      expect(toTitle(title)).toBe(title)
    }),
  )
})
