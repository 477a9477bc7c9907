import { realpathSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { argot, folderWith } from '../argot.ts'
import { hasScript } from '../on-terminal.ts'
import { ChatScreen, type ChatScreenOptions } from './chat-screen.ts'

async function openDemo(options: Partial<ChatScreenOptions> = {}, args: readonly string[] = []): Promise<ChatScreen> {
  const chat = new ChatScreen(['-m', 'demo', ...args], { cwd: await folderWith({ 'notes.md': 'x' }), ...options })
  await chat.see('Type a message', 'screen')
  return chat
}

describe.skipIf(!hasScript)('the keys of argot chat', () => {
  test('edit wide and combined characters where they are seen', async () => {
    const chat = await openDemo()
    chat.type('日本e\u0301')
    chat.type('\x1b[D')
    chat.type('\x1b[D')
    chat.type('x')
    await chat.see('❯ 日x本e\u0301', 'screen')
    chat.type('\x05')
    chat.type('\x7f\x7f')
    await chat.see(/❯ 日x\n/, 'screen')
  })

  test('break lines, complete files, find earlier messages, and clear the screen', async () => {
    const chat = await openDemo()
    chat.type('one\x1b\rtwo\\\rthree @no')
    await chat.see('› @notes.md', 'screen')
    expect(chat.screen).toMatch(/❯ one\n {2}two\n {2}three @no/)
    chat.type('\t')
    await chat.see('three @notes.md', 'screen')
    chat.type('\r')
    await chat.see(/\d steps/)
    chat.type('\x1b[A')
    await chat.see('❯ one', 'screen')
    chat.type('\x03')
    await chat.see('❯ Type a message', 'screen')
    chat.type('\x12thr')
    await chat.see(/search: thr\n {2}one two three/, 'screen')
    chat.type('\x1b')
    await chat.see('❯ Type a message', 'screen')
    chat.type('\x0c')
    await chat.until(() => !chat.screen.includes('steps') && chat.screen.includes('❯'))
    expect(chat.text).toContain('> one')
    const again = await openDemo({ cwd: chat.cwd })
    again.type('\x1b[A')
    await again.see('three @notes.md', 'screen')
  })

  test('leave with a second Ctrl C only', async () => {
    const chat = await openDemo()
    chat.type('\x03')
    await chat.see('Press Ctrl C again to exit.', 'screen')
    chat.type('\x03')
    expect(await chat.end()).toBe(0)
  })

  test('suspend with Ctrl Z: the shell has its terminal, and the chat is back as it was', async () => {
    const after = ['echo "stopped"', 'stty -a | grep -o " [-]*icanon"', 'fg']
    const folder = await folderWith({ 'editor.sh': '#!/bin/sh\nstty raw -echo; kill -9 $$\n' })
    await chmod(join(folder, 'editor.sh'), 0o755)
    const chat = await openDemo({ after, cwd: folder, env: { EDITOR: join(folder, 'editor.sh') } })
    // An editor that left the terminal raw changes nothing.
    chat.type('\x07')
    await chat.until(() => chat.raw.split('\x1b[?2004h').length === 3)
    chat.type('a draft')
    await chat.see('❯ a draft', 'screen')
    chat.type('\x1a')
    await chat.see(/stopped\n icanon.*❯ a draft/s)
    chat.type(' and more')
    await chat.see('❯ a draft and more', 'screen')
    chat.type('\x03')
    chat.type('\x04')
    expect(await chat.end()).toBe(0)
  })

  test('/open prints the address of the page while a server works on the folder', async () => {
    const folder = realpathSync(await folderWith({ 'x.chatmd': '' }))
    let url: ((address: string) => void) | undefined
    const address = new Promise<string>(resolve => {
      url = resolve
    })
    const stop = new AbortController()
    const serving = argot(['serve', '--port', '0'], {
      cwd: folder,
      env: { HOME: folder },
      onOutput: (child, output) => {
        const match = /Argot is at (\S+)/.exec(output)?.[1]
        if (match !== undefined) url?.(match)
        if (match !== undefined) stop.signal.addEventListener('abort', () => child.kill('SIGTERM'))
      },
    })
    onTestFinished(async () => {
      stop.abort()
      await serving
    })
    const page = await address
    const chat = new ChatScreen(['-m', 'demo', 'x.chatmd'], { cwd: folder })
    await chat.see('Type a message', 'screen')
    chat.send('/open')
    await chat.see(`${page}#/x.chatmd`)
    stop.abort()
    await serving
    chat.send('/open')
    await chat.see('Start one with `argot serve`')
  })
})
