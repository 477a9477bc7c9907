import { askServers, type ListedProvider, listProviders, type ServerAnswer } from '@argot/agent/internal'
import { loadSettings } from '@argot/agent/workshop'
import { listSyntaxes } from '@argot/core/syntax/internal'
import type { Command } from 'commander'
import { type Io, jsonLine, print, wrapFor } from '../io/io.ts'
import { createPaint, wantsColours } from '../io/paint.ts'
import { safeText } from '../io/safe-text.ts'

interface ModelsFlags {
  json?: boolean
  syntaxes?: boolean
}

export function modelsCommand(command: Command, io: Io, done: (status: number) => void): void {
  command
    .option('--syntaxes', 'list the syntaxes for tool calls instead')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nAsks your own servers (Ollama, ARGOT_BASE_URL) which models they have, but not\nproviders with keys. Never shows the values of variables.',
    )
    .action(async (flags: ModelsFlags) =>
      done(flags.syntaxes === true ? await showSyntaxes(flags, io) : await models(flags, io)),
    )
}

async function showSyntaxes({ json }: ModelsFlags, io: Io): Promise<number> {
  const all = listSyntaxes()
  if (json === true) {
    await print(io, jsonLine({ syntaxes: all }))
    return 0
  }
  const paint = createPaint(wantsColours(io, io.stdout))
  const namedSyntaxes = all.filter(({ about }) => about !== undefined)
  const width = Math.max(...namedSyntaxes.map(({ name }) => name.length))
  const lines = namedSyntaxes.map(({ name, about }) => `${paint(name.padEnd(width), 'bold')}  ${about}`)
  const dialects = all
    .filter(({ about }) => about === undefined)
    .map(({ name, aliases }) => (aliases.length === 0 ? name : `${name} (${aliases.join(', ')})`))
  const list = `Dialects that models were trained on, with aliases:\n${dialects.join(', ')}.`
  await print(io, wrapFor(io.stdout, `${lines.join('\n')}\n\n${list}\n`))
  return 0
}

async function models({ json }: ModelsFlags, io: Io): Promise<number> {
  const providers = listProviders(io.env)
  const servers = await askServers(providers, io.env)
  const settings = await loadSettings({ directory: io.cwd(), env: io.env })
  const chosenModel = io.env.ARGOT_MODEL || settings.model?.value
  const defaultModel = chosenModel ?? providers.find(({ isDefault }) => isDefault)?.example ?? 'demo'
  if (json === true) {
    const all = providers.map(one => {
      const server = servers.get(one.name)
      return { ...one, isReady: isReady(one, server), server }
    })
    await print(io, jsonLine({ default: defaultModel, providers: all }))
    return 0
  }
  const paint = createPaint(wantsColours(io, io.stdout))
  const width = Math.max(...providers.map(({ example }) => example.length))
  const lines = providers.map(provider => {
    const { example, title } = provider
    const server = servers.get(provider.name)
    const sign = isReady(provider, server) ? paint('✔', 'green') : paint('·', 'dim')
    const about = describe(provider, server).map(one => paint(` · ${safeText(one)}`, 'dim'))
    return `${sign} ${paint(example.padEnd(width), 'bold')}  ${title}${about.join('')}`
  })
  const cure = `Default model: ${defaultModel}. To choose another: --model PROVIDER:NAME.`
  await print(io, wrapFor(io.stdout, `${lines.join('\n')}\n\n${cure}\n`))
  return 0
}

/** Everything is set, and a server that was queried has a model. */
function isReady(provider: ListedProvider, server: ServerAnswer | undefined): boolean {
  return provider.isReady && (server === undefined || (server.models ?? []).length > 0)
}

const MOST_NAMES = 8

function describe({ needs }: ListedProvider, server: ServerAnswer | undefined): string[] {
  const words = needs === '' ? [] : [needs]
  if (server === undefined) return words
  const { address, models = [], problem } = server
  if (problem !== undefined) return [...words, `${address}: ${problem}`]
  const more = models.length > MOST_NAMES ? `, and ${models.length - MOST_NAMES} more` : ''
  return [
    ...words,
    models.length === 0 ? `${address} has no models yet` : `${models.slice(0, MOST_NAMES).join(', ')}${more}`,
  ]
}
