import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './bundle-command.ts'
import { installNode24 } from './node24.ts'

// `npm run test:node24` runs the unit tests on Node 24, and the tests of `ai` 7 and `useChat` 4, with and without
// Chromium.

const { folder, node } = installNode24()
const env = { ...process.env, ARGOT_AI7: folder, PATH: `${dirname(node)}:${process.env.PATH ?? ''}` }

function vitest(...args: readonly string[]): boolean {
  const program = join(root, 'node_modules/vitest/vitest.mjs')
  return spawnSync(node, [program, 'run', ...args], { cwd: root, stdio: 'inherit', env }).status === 0
}

function compileMiddleware(declarations: string): boolean {
  const types = join(root, 'packages/core/test/types')
  const config = join(folder, 'tsconfig.json')
  const compilerOptions = {
    paths: { 'ai-provider-v4': [declarations] },
    typeRoots: [join(root, 'node_modules/@types')],
  }
  const files = [join(types, 'middleware-majors.ts')]
  writeFileSync(config, JSON.stringify({ extends: join(types, 'tsconfig.json'), compilerOptions, files, include: [] }))
  const program = join(root, 'node_modules/typescript/bin/tsc')
  return spawnSync(node, [program, '-p', config], { cwd: root, stdio: 'inherit' }).status === 0
}

/** All of them run, even after a failure. */
const checks: readonly [what: string, run: () => boolean][] = [
  ['the unit tests', () => spawnSync('npm', ['run', 'test:unit'], { cwd: root, stdio: 'inherit', env }).status === 0],
  [
    'the types of `ai` 7',
    // The repository has the last version of the interface for Node 20. This is the one that `ai` 7 uses.
    () => compileMiddleware(join(folder, 'node_modules/@ai-sdk/provider/dist/index.d.ts')),
  ],
  [
    'the clients of `ai` 7',
    () => vitest('packages/server/test/clients/ai-v7.test.ts', 'packages/core/test/ai-sdk/middleware-ai7.test.ts'),
  ],
  [
    '`useChat` 4 in Chromium',
    () =>
      vitest(
        ...['-c', 'vitest.browser.config.ts'],
        'packages/react/test/peers/ai-sdk-react.browser.test.tsx',
        'packages/react/test/peers/drop-in.browser.test.tsx',
      ),
  ],
]
const failures = checks.filter(([, run]) => !run()).map(([what]) => what)
const { stdout: version } = spawnSync(node, ['--version'], { encoding: 'utf8' })
console.log(
  failures.length === 0
    ? `Node ${version.trim()}: everything passed: ${checks.map(([what]) => what).join(', ')}.`
    : `Node ${version.trim()}: FAILED: ${failures.join(', ')}.`,
)
process.exitCode = failures.length === 0 ? 0 : 1
