import { spawnSync } from 'node:child_process'
import { buildBench } from './build-bench.ts'
import { root } from './bundle-command.ts'

// `npm run bench -- reading`: the benches on compiled code, with a collector that can be asked.
const { status } = spawnSync(process.execPath, ['--expose-gc', await buildBench(), ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
})
process.exitCode = status ?? 1
