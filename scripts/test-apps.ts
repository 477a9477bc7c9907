import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './bundle-command.ts'

// `npm run test:apps` tests the server inside Hono, Express and Next apps, as in docs/server-in-an-app.md, and builds
// the Next template. It installs Express, Next and the packed packages into a temporary folder. `npm test` tests what
// is installed there.

const folder = join(tmpdir(), 'argot-test-apps')
const next = join(folder, 'next')

function run(command: string, args: readonly string[], cwd: string): void {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' })
  if (status === 0) return
  console.error(`${command} ${args[0]} failed.`)
  process.exit(status ?? 1)
}

function install(cwd: string, ...names: string[]): void {
  mkdirSync(cwd, { recursive: true })
  if (!existsSync(join(cwd, 'package.json'))) writeFileSync(join(cwd, 'package.json'), '{"private":true}\n')
  run('npm', ['install', '--no-audit', '--no-fund', ...names], cwd)
}

if (!existsSync(join(folder, 'node_modules/express'))) install(folder, '--no-save', 'express@5')
run('npm', ['run', '-s', 'build'], root)
mkdirSync(next, { recursive: true })
for (const name of readdirSync(next)) if (name.endsWith('.tgz')) rmSync(join(next, name))
for (const name of ['core', 'agent', 'server', 'react']) {
  run('npm', ['pack', '--silent', '--pack-destination', next], join(root, 'packages', name))
}
const tarballs = readdirSync(next).filter(name => name.endsWith('.tgz'))
install(
  next,
  ...['next@16', 'react', 'react-dom', 'typescript', '@types/react', '@types/node'],
  ...tarballs.map(name => `./${name}`),
)

// `npm test` doesn't build this template, because it would have to install Next.
const template = join(folder, 'template')
rmSync(template, { recursive: true, force: true })
const create = join(root, 'packages/create-argot/dist/bin.js')
run(process.execPath, [create, template, '--template', 'next', '--packages', next], folder)
run('npm', ['install', '--no-audit', '--no-fund'], template)
run('npm', ['run', 'build'], template)

const env = { ...process.env, ARGOT_APPS: folder }
const { status } = spawnSync('npx', ['vitest', 'run', 'packages/server/test/apps'], {
  cwd: root,
  stdio: 'inherit',
  env,
})
process.exitCode = status ?? 1
