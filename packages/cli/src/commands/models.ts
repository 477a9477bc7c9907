import { askServers, type ListedProvider, listProviders, type ServerAnswer } from '@argot/agent/internal'
import { loadSettings } from '@argot/agent/workshop'
import type { Command } from 'commander'
import { type Io, jsonLine, print } from '../io/io.ts'
import { createPaint, wantsColours } from '../io/paint.ts'
import { safeText } from '../io/safe-text.ts'

/** `argot models`: whose models can be named, what is set for them, and which one a document without a name gets. */
export function modelsCommand(command: Command, io: Io, done: (status: number) => void): void {
  command
    .option('--json', 'print one JSON')
    .addHelpText(
      'after',
      '\nServers of your own (Ollama, ARGOT_BASE_URL) are asked which models they have; providers with keys are not. The values of\nvariables are not shown.',
    )
    .action(async (flags: { json?: boolean }) => done(await models(flags, io)))
}

async function models({ json }: { json?: boolean }, io: Io): Promise<number> {
  const providers = listProviders(io.env)
  const servers = await askServers(providers, io.env)
  const settings = await loadSettings({ directory: io.cwd(), env: io.env })
  const chosen = io.env.ARGOT_MODEL || settings.model?.value
  const usual = chosen ?? providers.find(({ isDefault }) => isDefault)?.example ?? 'demo'
  if (json === true) {
    await print(
      io,
      jsonLine({ default: usual, providers: providers.map(one => ({ ...one, server: servers.get(one.name) })) }),
    )
    return 0
  }
  const paint = createPaint(wantsColours(io, io.stdout))
  const width = Math.max(...providers.map(({ example }) => example.length))
  const lines = providers.map(provider => {
    const { example, title, isReady } = provider
    const server = servers.get(provider.name)
    const sign = isReady && server?.problem === undefined ? paint('✔', 'green') : paint('·', 'dim')
    const about = describe(provider, server).map(one => paint(` · ${safeText(one)}`, 'dim'))
    return `${sign} ${paint(example.padEnd(width), 'bold')}  ${title}${about.join('')}`
  })
  await print(
    io,
    `${lines.join('\n')}\n\nWithout a name: ${usual}. Another name goes after the colon: --model PROVIDER:NAME.\n`,
  )
  return 0
}

/** More names than this are counted. */
const MOST = 8

function describe({ needs }: ListedProvider, server: ServerAnswer | undefined): string[] {
  const words = needs === '' ? [] : [needs]
  if (server === undefined) return words
  const { address, models = [], problem } = server
  if (problem !== undefined) return [...words, `${address}: ${problem}`]
  const more = models.length > MOST ? `, and ${models.length - MOST} more` : ''
  return [...words, models.length === 0 ? `${address} has no models yet` : `${models.slice(0, MOST).join(', ')}${more}`]
}
