import { readdirSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { extname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

export interface BenchOptions {
  /** The sizes that take minutes. */
  full: boolean
  /** The file that a chart of what was measured goes to, if the bench makes one. */
  chart: string | undefined
}

/** What a bench file exports: it prints what it measured, and says whether every promise held. */
export type Bench = (options: BenchOptions) => Promise<boolean>

const help = `Measures Argot beside its peers.

  npm run bench                     every bench, about eight minutes
  npm run bench -- reading          one bench: what a page pays that reads after every chunk, half a minute
  npm run bench -- install          what Argot weighs, and what its command costs to start
  npm run bench -- stream --full    larger sizes, about ten minutes
  npm run bench -- reading --chart docs/performance.svg
                                    draws what it measured as well
  npm run bench:node24 -- reading   the same on Node 24, with ai 7 beside ai 6; installs both into a temporary folder
  npm run bench -- --help           this text

Exit status: 0 every promise held, 1 one did not, 2 wrong usage.
Times are CPU time of the whole process. Close other programs first.`

/** `.ts`, or `.js` where the benches were compiled. */
const extension = extname(import.meta.filename)

/** The names of the files beside this one, some of which are not benches but parts of them. */
function benchNames(): string[] {
  return readdirSync(import.meta.dirname)
    .filter(name => name.endsWith(extension) && !/^(?:run\.|chunk-)/.test(name))
    .map(name => name.slice(0, -extension.length))
    .sort()
}

async function loadBench(name: string): Promise<Bench | undefined> {
  const module = (await import(pathToFileURL(`${import.meta.dirname}/${name}${extension}`).href)) as { run?: unknown }
  return typeof module.run === 'function' ? (module.run as Bench) : undefined
}

function describeMachine(): string {
  const [cpu] = cpus()
  const load = loadavg().map(value => value.toFixed(2))
  return [
    `machine  ${cpu?.model ?? 'unknown'}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, load ${load.join(' ')}`,
    `node     ${process.version} (V8 ${process.versions.v8}), ${process.platform} ${process.arch}${globalThis.gc ? '' : ', without --expose-gc'}`,
    `date     ${new Date().toISOString()}`,
  ].join('\n')
}

function readArguments(): (BenchOptions & { names: string[]; help: boolean }) | string {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        full: { type: 'boolean', default: false },
        chart: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    return { names: positionals, full: values.full, chart: values.chart, help: values.help }
  } catch (error) {
    return (error as Error).message
  }
}

/** Runs what the command line asks for and gives the exit status. */
async function main(): Promise<number> {
  const asked = readArguments()
  if (typeof asked === 'string') {
    console.error(`${asked}\n\n${help}`)
    return 2
  }
  if (asked.help) {
    console.log(help)
    return 0
  }
  const known = benchNames()
  const unknown = asked.names.filter(name => !known.includes(name))
  if (unknown.length > 0) {
    console.error(`There is no bench called ${unknown.join(', ')}.\n\n${help}`)
    return 2
  }

  console.log(describeMachine())
  let held = true
  for (const name of asked.names.length > 0 ? asked.names : known) {
    const bench = await loadBench(name)
    if (bench === undefined) {
      if (!asked.names.includes(name)) continue
      console.error(`bench/${name}.ts is a part of other benches and runs nothing itself.\n\n${help}`)
      return 2
    }
    console.log(`\n# ${name}${asked.full ? ', full' : ''}\n`)
    held = (await bench({ full: asked.full, chart: asked.chart })) && held
  }
  return held ? 0 : 1
}

process.exitCode = await main()
