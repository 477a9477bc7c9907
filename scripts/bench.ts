import { spawnSync } from 'node:child_process'
import { buildBench } from './build-bench.ts'
import { root } from './bundle-command.ts'

// `npm run bench -- reading` runs compiled benchmarks, which can trigger garbage collection.
const { status } = spawnSync(process.execPath, ['--expose-gc', await buildBench(), ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
})
process.exitCode = status ?? 1
