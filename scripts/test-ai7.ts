import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './bundle-command.ts'

// `npm run test:ai7`: the tests of the real `useChat`, with version 4 of `@ai-sdk/react` and `ai` 7 in the place of those that
// are installed. They are too new for the Node that this repository promises: these run in a browser, and clients without a page
// in Node 24, against `argot serve` and against a route handler of `toResponse`. There `textSyntaxMiddleware` is tried too.

const node = `node-${process.platform}-${process.arch}`
const packages = ['ai@7.0.169', '@ai-sdk/react@4.0.167', `${node}@24`]
const folder = join(tmpdir(), 'argot-test-ai7')

if (![join('@ai-sdk', 'react'), node].every(name => existsSync(join(folder, 'node_modules', name)))) {
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

const inBrowser = [
  'packages/react/test/peers/ai-sdk-react.browser.test.tsx',
  'packages/react/test/peers/drop-in.browser.test.tsx',
]

function vitest(args: readonly string[]): number {
  const env = { ...process.env, ARGOT_AI7: folder }
  return spawnSync('npx', ['vitest', 'run', ...args], { cwd: root, stdio: 'inherit', env }).status ?? 1
}

process.exitCode =
  vitest(['packages/server/test/clients/ai-v7.test.ts', 'packages/core/test/ai-sdk/middleware-ai7.test.ts']) ||
  vitest(['-c', 'vitest.browser.config.ts', ...inBrowser])
