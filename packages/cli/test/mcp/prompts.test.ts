import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderStore } from '@argot/agent'
import { expect, onTestFinished, test } from 'vitest'
import type { McpService } from '../../src/mcp/mcp-service.ts'
import { getPrompt } from '../../src/mcp/prompts.ts'
import { ServedFolder } from '../../src/mcp/served-folder.ts'

test('images and files of a prompt are embedded, however they are written, or given by their address', async () => {
  const docs = await realpath(await mkdtemp(join(tmpdir(), 'argot-prompts-')))
  onTestFinished(() => rm(docs, { recursive: true, force: true }))
  const png = Buffer.from('89504e470d0a1a0a', 'hex')
  await writeFile(join(docs, 'dot.png'), png)
  const images = [
    'dot.png" local="true',
    'https://example.com/cat.png',
    'data:image/svg+xml,%3Csvg%2F%3E',
    'data:image/png,%89PNG%0D%0A%1A%0a',
    'data:image/png;BASE64,iVBORw0KGgo%3D',
    'data:;base64,iVBORw0KGgo=" media_type="image/png',
    'data:text/plain,100%25 or 5 %" filename="a b.txt',
  ]
  const tags = images.map(src => `<img src="${src}"/>`).join('\n')
  await writeFile(join(docs, 'look.chatmd'), `<config params="what"/>\n\n<user>\nLook at {{what}}.\n${tags}\n</user>\n`)
  const run = { cwd: docs, env: {}, configFolder: join(docs, '.config') }
  const folder = new ServedFolder({ ...folderStore(docs), root: docs }, run, () => {})
  const { messages } = await getPrompt({ folder, run } as unknown as McpService, 'look', { what: 'these' })
  expect(messages.map(({ content }) => content)).toEqual([
    { type: 'text', text: 'Look at these.' },
    { type: 'image', mimeType: 'image/png', data: png.toString('base64') },
    { type: 'text', text: 'Image: https://example.com/cat.png' },
    { type: 'image', mimeType: 'image/svg+xml', data: Buffer.from('<svg/>').toString('base64') },
    ...Array.from({ length: 3 }, () => ({ type: 'image', mimeType: 'image/png', data: png.toString('base64') })),
    {
      type: 'resource',
      resource: {
        uri: 'attachment:a%20b.txt',
        mimeType: 'text/plain',
        blob: Buffer.from('100% or 5 %').toString('base64'),
      },
    },
  ])
})
