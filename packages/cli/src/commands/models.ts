import { listProviders, loadSettings } from '@argot/agent'
import type { Command } from 'commander'
import { type Io, jsonLine, print } from '../io/io.ts'
import { createPaint, wantsColours } from '../io/paint.ts'

/** `argot models`: whose models can be named, what is set for them, and which one a document without a name gets. */
export function modelsCommand(command: Command, io: Io, done: (status: number) => void): void {
  command
    .option('--json', 'print one JSON')
    .addHelpText('after', '\nNothing is asked of any server. The values of variables are not shown.')
    .action(async (flags: { json?: boolean }) => done(await models(flags, io)))
}

async function models({ json }: { json?: boolean }, io: Io): Promise<number> {
  const providers = listProviders(io.env)
  const settings = await loadSettings({ directory: io.cwd(), env: io.env })
  const chosen = io.env.ARGOT_MODEL || settings.model?.value
  const usual = chosen ?? providers.find(({ isDefault }) => isDefault)?.example ?? 'demo'
  if (json === true) {
    await print(io, jsonLine({ default: usual, providers }))
    return 0
  }
  const paint = createPaint(wantsColours(io, io.stdout))
  const width = Math.max(...providers.map(({ example }) => example.length))
  const lines = providers.map(({ example, title, isReady, needs }) => {
    const sign = isReady ? paint('✔', 'green') : paint('·', 'dim')
    return `${sign} ${paint(example.padEnd(width), 'bold')}  ${title}${needs === '' ? '' : paint(` · ${needs}`, 'dim')}`
  })
  await print(
    io,
    `${lines.join('\n')}\n\nWithout a name: ${usual}. Another name goes behind the colon: --model PROVIDER:NAME.\n`,
  )
  return 0
}
