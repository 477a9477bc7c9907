import { spawnSync } from 'node:child_process'
import { buildBench } from './build-bench.ts'
import { root } from './bundle-command.ts'
import { installNode24 } from './node24.ts'

// `npm run bench:node24 -- reading` runs the benchmarks on Node 24, with `ai` 7 next to `ai` 6.

const { folder, node } = installNode24()
const { status } = spawnSync(node, ['--expose-gc', await buildBench(), ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, ARGOT_BENCH_AI7: folder },
})
process.exitCode = status ?? 1
