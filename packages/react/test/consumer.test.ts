import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { root } from '../../../test/guards/workspace.ts'

async function tsc(...args: string[]): Promise<string> {
  return promisify(execFile)(process.execPath, ['node_modules/typescript/bin/tsc', ...args], { cwd: root }).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  )
}

test("every sample of the page on tool calling compiles in a consumer's project, against the built package", async () => {
  expect(await tsc('-b', 'packages/react')).toBe('')
  expect(await tsc('-p', 'packages/react/test/types/consumer/tsconfig.json')).toBe('')
})

test('what is built does not name the server, whose types are used inside alone', async () => {
  expect(await tsc('-b', 'packages/react')).toBe('')
  const dist = join(root, 'packages/react/dist')
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter(file => /\.(?:js|d\.ts)$/.test(file))
  expect(files.length).toBeGreaterThan(100)
  expect(files.filter(file => readFileSync(join(dist, file), 'utf8').includes('@argot/server'))).toEqual([])
})
