import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './bundle-command.ts'

// `npm run test:apps`: the server inside of apps of Hono, Express and Next, as docs/server-in-an-app.md shows it. Express is put
// into a temporary folder; `npm test` tries it where it is there.

const folder = join(tmpdir(), 'argot-test-apps')

if (!existsSync(join(folder, 'node_modules/express'))) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
  const { status } = spawnSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', 'express@5'], {
    cwd: folder,
    stdio: 'inherit',
  })
  if (status !== 0) {
    console.error('Express could not be installed.')
    process.exit(status ?? 1)
  }
}

const env = { ...process.env, ARGOT_APPS: folder }
const { status } = spawnSync('npx', ['vitest', 'run', 'packages/server/test/apps'], {
  cwd: root,
  stdio: 'inherit',
  env,
})
process.exitCode = status ?? 1
