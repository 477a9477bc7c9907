import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './bundle-command.ts'

// `npm run test:ai7`: the tests of the real `useChat`, with version 4 of `@ai-sdk/react` and `ai` 7 in the place of those that
// are installed. They are too new for the Node that this repository promises, and run in a browser, so that any Node will do.

const packages = ['ai@7.0.169', '@ai-sdk/react@4.0.167']
const folder = join(tmpdir(), 'argot-test-ai7')

if (!existsSync(join(folder, 'node_modules/@ai-sdk/react'))) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
  const { status } = spawnSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', ...packages], {
    cwd: folder,
    stdio: 'inherit',
  })
  if (status !== 0) {
    console.error('`ai` 7 could not be installed.')
    process.exit(status ?? 1)
  }
}

const tests = [
  'packages/react/test/peers/ai-sdk-react.browser.test.tsx',
  'packages/react/test/peers/drop-in.browser.test.tsx',
]
const { status } = spawnSync('npx', ['vitest', 'run', '-c', 'vitest.browser.config.ts', ...tests], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, ARGOT_AI7: folder },
})
process.exitCode = status ?? 1
