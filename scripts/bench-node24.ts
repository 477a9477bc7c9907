import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildBench } from './build-bench.ts'
import { root } from './bundle-command.ts'

// `npm run bench:node24 -- reading`: the benches on Node 24 and with `ai` 7 beside `ai` 6. Both are put into a temporary
// folder, once, because they are too new for the Node that this repository promises.

const packages = [`node-${process.platform}-${process.arch}@24`, 'ai-v7@npm:ai@7.0.169']

const folder = join(tmpdir(), 'argot-bench-node24')
const node = join(folder, `node_modules/node-${process.platform}-${process.arch}/bin/node`)

if (!existsSync(node)) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
  const { status } = spawnSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', ...packages], {
    cwd: folder,
    stdio: 'inherit',
  })
  if (status !== 0) {
    console.error('Node 24 and `ai` 7 could not be installed; `npm run bench` measures without them.')
    process.exit(status ?? 1)
  }
}

const benches = process.argv.slice(2)
const { status } = spawnSync(node, ['--expose-gc', await buildBench(), ...benches], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, ARGOT_BENCH_AI7: folder },
})
process.exitCode = status ?? 1
