import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (path: string): string => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')
const page = read('docs/stores.md')
const source = read('packages/agent/src/store/store.ts')

/** The methods of an interface, without those that a store may leave out. */
function methodsOf(text: string, name: string): string[] {
  const body = new RegExp(`^export interface ${name}\\b[^{]*\\{\\n([\\s\\S]*?)^\\}`, 'm').exec(text)![1]!
  return [...body.matchAll(/^ {2}(\w+)[(<]/gm)].map(([, method]) => method!)
}

const parts: [string, string][] = [
  ['documents', 'Documents'],
  ['logs', 'RunLogs'],
  ['leases', 'Leases'],
  ['files(path)', 'DocumentFiles'],
  ['sidecars', 'Sidecars'],
  ['trash', 'Trash'],
  ['inbox', 'Inbox'],
]

test.each(parts)('docs/stores.md has the methods of `%s`', (part, name) => {
  const row = page.split('\n').find(line => line.startsWith(`| \`${part}\` |`))
  const methods = [...row!.split('|')[2]!.matchAll(/`(\w+)`/g)].map(([, method]) => method!)
  expect(methods.sort()).toEqual(methodsOf(source, name).sort())
})

test('docs/stores.md counts the parts of a store, and the methods of a queue', () => {
  const numbers = ['six', 'seven', 'eight', 'nine']
  expect(page).toContain(`## The ${numbers[parts.length - 6]} parts`)
  expect(page).toContain(`an object with the ${numbers[parts.length - 6]} parts`)
  const queue = methodsOf(read('packages/server/src/runs/queue/queue.ts'), 'Queue')
  expect(page).toContain(`${numbers[queue.length - 6]} methods over jobs`)
})
