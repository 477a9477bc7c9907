import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { root } from './bundle-command.ts'
import { installNode24 } from './node24.ts'

// `npm run test:node24`: the unit tests on Node 24, and the tests of `ai` 7 and `useChat` 4, without a page and in Chromium.

const { folder, node } = installNode24()
const env = { ...process.env, ARGOT_AI7: folder, PATH: `${dirname(node)}:${process.env.PATH ?? ''}` }

function vitest(...args: readonly string[]): boolean {
  const program = join(root, 'node_modules/vitest/vitest.mjs')
  return spawnSync(node, [program, 'run', ...args], { cwd: root, stdio: 'inherit', env }).status === 0
}

const isGood =
  spawnSync('npm', ['run', 'test:unit'], { cwd: root, stdio: 'inherit', env }).status === 0 &&
  vitest('packages/server/test/clients/ai-v7.test.ts', 'packages/core/test/ai-sdk/middleware-ai7.test.ts') &&
  vitest(
    ...['-c', 'vitest.browser.config.ts'],
    'packages/react/test/peers/ai-sdk-react.browser.test.tsx',
    'packages/react/test/peers/drop-in.browser.test.tsx',
  )
process.exitCode = isGood ? 0 : 1
