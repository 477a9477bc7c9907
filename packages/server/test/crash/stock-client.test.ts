import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { UIMessage } from 'ai'
import { expect, onTestFinished, test } from 'vitest'
import { shown, stockChat, textOf } from '../clients/stock-chat.ts'
import { answerTo } from './scenario.ts'
import { buildServer, ServerLives } from './server-process.ts'

test('`useChat` that is connected when the server is killed shows one answer once it resumes, and so does a reload', async () => {
  const program = buildServer()
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'argot-server-stock-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'docs'))
  await writeFile(join(folder, 'docs', 'chat.chatmd'), '<config system="Be brief."/>\n')
  // Before the 5th part of the answer, and in the next process before the 8th.
  const lives = new ServerLives(program, folder, ['part 5', 'part 8'])
  onTestFinished(() => lives.close())
  /** The same client, wherever the server is now. */
  const toServer: typeof fetch = async (input, init) =>
    fetch(String(input).replace('http://stock', await lives.url()), init)
  const chat = stockChat('http://stock', 'chat', [], toServer)
  await chat.chat.sendMessage({ text: 'Hello.' })
  expect(chat.chat.status).toBe('error')
  await expect.poll(() => lives.deaths).toBeGreaterThan(0)
  const resumed = async (): Promise<string> => {
    await chat.chat.resumeStream()
    return textOf(chat.chat.messages.at(-1))
  }
  await expect.poll(resumed, { timeout: 60_000 }).toContain('for word.')
  expect(chat.chat.messages.map(textOf)).toEqual(['Hello.', answerTo('Hello.')])
  expect(lives.deaths).toBe(2)
  const { value } = await lives.ask<{ messages: UIMessage[] }>('GET', '/api/documents/chat.chatmd/messages?format=ui')
  expect(shown(chat.chat.messages)).toEqual(shown(value.messages))
  const reloaded = stockChat('http://stock', 'chat', value.messages, toServer)
  await reloaded.chat.resumeStream()
  expect(shown(reloaded.chat.messages)).toEqual(shown(value.messages))
  await chat.validate()
})
