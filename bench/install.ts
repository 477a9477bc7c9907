import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { bundleCommand, root } from '../scripts/bundle-command.ts'
import { numberText, table } from './table.ts'

/** What somebody imports, and from where. */
const doors = [
  { name: 'accumulate', code: "export { accumulate } from '@argot/core'" },
  { name: 'one text syntax: xml', code: "export { xml } from '@argot/core/syntax'" },
  { name: 'a dialect of JSON: hermes', code: "export { hermes } from '@argot/core/syntax'" },
  { name: 'every dialect: auto', code: "export { auto } from '@argot/core/syntax'" },
  { name: 'documents: parseChatMd', code: "export { parseChatMd } from '@argot/core/chatmd'" },
]
/** How many files of each door are named. */
const shownFiles = 8
/** A command may take so many times the CPU time of a Node that does nothing. */
const limits = { help: 1.7, demo: 3.8 }
const rounds = 7
/** More rounds while a bound breaks: what others do on the machine only ever adds. */
const attempts = 3

/** Prints what Argot weighs and what its command costs to start, and says whether every promise held. */
export async function run(): Promise<boolean> {
  await showSizes()
  const broken = await showStarts()
  for (const sentence of broken) console.log(`✗ ${sentence}`)
  if (broken.length === 0) console.log('✓ Every promise held.')
  return broken.length === 0
}

async function showSizes(): Promise<void> {
  const rows: (string | number)[][] = []
  const files: (string | number)[][] = []
  for (const { name, code } of doors) {
    const { outputFiles, metafile } = await build({
      stdin: { contents: code, resolveDir: join(root, 'packages/core'), loader: 'ts' },
      absWorkingDir: root,
      bundle: true,
      minify: true,
      format: 'esm',
      target: 'es2022',
      conditions: ['@argot/source'],
      external: ['yaml'],
      write: false,
      metafile: true,
    })
    const [output] = outputFiles
    rows.push([name, output!.contents.length / 1000, gzipSync(output!.contents, { level: 9 }).length / 1000])
    const inputs = Object.entries(Object.values(metafile.outputs)[0]!.inputs)
    const largest = inputs.sort(([, a], [, b]) => b.bytesInOutput - a.bytesInOutput).slice(0, shownFiles)
    files.push([name, largest.map(([path, { bytesInOutput }]) => `${shortPath(path)} ${bytesInOutput}`).join(', ')])
  }
  console.log('## What is imported, minified, without `yaml`\n')
  console.log(`${table(['', 'kB', 'kB gzip'], rows)}\n`)
  for (const [name, list] of files) console.log(`${name}: ${list} …\n`)
}

function shortPath(path: string): string {
  return path.replace(/^packages\/core\/src\//, '').replace(/\.ts$/, '')
}

interface Start {
  name: string
  args: readonly string[]
  limit: number | undefined
  least: number
}

async function showStarts(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'argot-bench-'))
  try {
    const command = join(root, 'dist/command')
    await bundleCommand(command)
    const meter = join(folder, 'meter.cjs')
    writeFileSync(meter, meterText)
    writeFileSync(join(folder, 'empty.mjs'), '')
    const bin = join(command, 'bin.js')
    const starts: Start[] = [
      { name: 'a program that does nothing', args: ['empty.mjs'], limit: undefined, least: Infinity },
      { name: 'argot --help', args: [bin, '--help'], limit: limits.help, least: Infinity },
      {
        name: 'argot run chat.chatmd --model demo',
        args: [bin, 'run', 'chat.chatmd', '--model', 'demo'],
        limit: limits.demo,
        least: Infinity,
      },
    ]
    let broken: string[] = []
    for (let attempt = 0; attempt < attempts; attempt++) {
      for (let round = 0; round < rounds; round++)
        for (const start of starts) start.least = Math.min(start.least, cpuOf(folder, meter, start))
      broken = brokenStarts(starts)
      if (broken.length === 0) break
    }
    const [nothing] = starts
    const rows = starts.map(({ name, least, limit }) => [name, least, least / nothing!.least, limit])
    console.log(`## Starting the command, as installed: CPU ms of the process, the least of ${rounds} or more\n`)
    console.log(`${table(['', 'CPU ms', 'of nothing', 'at most'], rows)}\n`)
    return broken
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function brokenStarts(starts: readonly Start[]): string[] {
  const [nothing] = starts
  return starts.flatMap(({ name, least, limit }) =>
    limit === undefined || least <= limit * nothing!.least
      ? []
      : [`${name} takes ${numberText(least / nothing!.least)} times the CPU of nothing, more than ${limit}.`],
  )
}

/** Writes the CPU time of a process to its fourth descriptor when it ends. */
const meterText = `process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  require('node:fs').writeSync(3, String((user + system) / 1000))
})
`

function cpuOf(cwd: string, meter: string, { name, args }: Start): number {
  writeFileSync(join(cwd, 'chat.chatmd'), '<user>\nHello\n</user>\n')
  rmSync(join(cwd, '.chatmd'), { recursive: true, force: true })
  const env = { ...process.env, HOME: cwd, XDG_CONFIG_HOME: join(cwd, 'config'), NO_COLOR: '1' }
  const { output, status } = spawnSync(process.execPath, ['--require', meter, ...args], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${name} ended with ${status}: ${output[2]}`)
  return Number(output[3])
}
