import { gzipSync } from 'node:zlib'
import { build, defaultClientConditions, type Rolldown } from 'vite'
import { expect, test } from 'vitest'

const root = new URL('../../../apps/gallery', import.meta.url).pathname

/** What a page loads at once for this import, minified and compressed, without React; and what it loads later, by name. */
async function sizes(source: string): Promise<{ atOnce: number; later: Map<string, number> }> {
  process.env.NODE_ENV = 'production'
  const result = (await build({
    root,
    configFile: false,
    publicDir: false,
    logLevel: 'silent',
    resolve: { conditions: ['@argot/source', ...defaultClientConditions] },
    plugins: [
      {
        name: 'entry',
        resolveId: id => (id === 'measured' ? `${root}/measured.ts` : undefined),
        load: id => (id.endsWith('/measured.ts') ? source : undefined),
      },
    ],
    build: {
      write: false,
      minify: true,
      target: 'es2023',
      modulePreload: false,
      rolldownOptions: {
        input: 'measured',
        external: [/^react(-dom)?(\/|$)/],
        preserveEntrySignatures: 'strict',
      },
    },
  })) as Rolldown.RolldownOutput
  const chunks = result.output.filter(one => one.type === 'chunk')
  const atOnce = new Set<string>()
  const follow = (name: string): void => {
    const chunk = chunks.find(one => one.fileName === name)
    if (chunk === undefined || atOnce.has(name)) return
    atOnce.add(name)
    for (const next of chunk.imports) follow(next)
  }
  follow(chunks.find(one => one.isEntry)!.fileName)
  const sized = chunks.map(({ fileName, name, code }) => ({ fileName, name, size: gzipSync(code).length }))
  return {
    atOnce: sized.filter(one => atOnce.has(one.fileName)).reduce((sum, one) => sum + one.size, 0),
    later: new Map(sized.filter(one => !atOnce.has(one.fileName)).map(({ name, size }) => [name, size])),
  }
}

test('a tool card is at most 15 kB; bodies, approvals, diffs and Markdown come later', async () => {
  const { atOnce, later } = await sizes("export { ToolCard } from '@argot/react'")
  console.log(`a tool card: ${atOnce} bytes, then ${[...later].map(([name, size]) => `${name} ${size}`).join(', ')}`)
  expect(atOnce).toBeLessThanOrEqual(15_000)
  expect(later.get('markdown-body')).toBeLessThanOrEqual(36_000)
  expect(later.get('highlighted')).toBeLessThanOrEqual(5000)
  expect(later.get('diff-body')).toBeLessThanOrEqual(5000)
  expect([...later.keys()]).toEqual(expect.arrayContaining(['diff-body', 'call-body', 'approval-card', 'ask-user']))
})

test('the chat box, with the fold and the virtual list, is at most 60 kB', async () => {
  const { atOnce } = await sizes("export { ChatBox } from '@argot/react'")
  console.log(`the chat box: ${atOnce} bytes`)
  expect(atOnce).toBeLessThanOrEqual(60_000)
})
