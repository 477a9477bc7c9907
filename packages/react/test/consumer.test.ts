import { execFile } from 'node:child_process'
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
