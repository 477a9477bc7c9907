import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { createAgent, folderStore, runDocument } from '@argot/agent'
import { main } from '@argot/cli'
import { createServer } from '@argot/server'
import { scriptedModel } from '../../packages/agent/test/scripted-model.ts'

/**
 * A program, run in a copy of the sources in which `replyLength` is replaced by an option that was planted: gives it to every
 * way to start a run, and prints what each run tells a person about it.
 */
const folder = await mkdtemp(join(tmpdir(), 'argot-option-'))
for (const name of ['chat', 'other', 'third', 'inner']) {
  const inner = name === 'chat' ? '<agent src="inner.chatmd" local/>' : ''
  await writeFile(join(folder, `${name}.chatmd`), `<user>\nHello.\n${inner}\n</user>\n`)
}
const shared = { model: scriptedModel(['Hello.']), env: {} }
const place = { cwd: folder, configFolder: join(folder, 'config') }
const notices: Record<string, string[]> = { document: [], agent: [], server: [], command: [] }
const noticeTo = (name: string) => (notice: string) => void notices[name]!.push(notice)

await runDocument(join(folder, 'chat.chatmd'), {
  ...shared,
  ...place,
  replyLength: 1001,
  notice: noticeTo('document'),
}).result

await createAgent({ ...shared, replyLength: 1002, notice: noticeTo('agent') }).run('Hello.').result

const server = createServer({
  store: folderStore(folder, { key: Buffer.alloc(32, 7) }),
  stateFolder: join(folder, 'state'),
  run: { ...shared, ...place, replyLength: 1003 },
  notice: noticeTo('server'),
})
const send = (method: string, path: string, body?: string): Promise<Response> =>
  server.fetch(
    new Request(`http://127.0.0.1:4176/api/runs${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body }),
    }),
  )
const begun = await send('POST', '', JSON.stringify({ document: 'other.chatmd' }))
const { id } = (await begun.json()) as { id: string }
await (await send('GET', `/${id}/stream`)).text()
await server.close()

const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
stdin.end()
const said = text(stderr)
const flags = ['--model', 'demo', '--max-reply', '1004']
await main(['run', join(folder, 'third.chatmd'), ...flags], {
  stdin,
  stdout,
  stderr,
  env: { HOME: folder },
  cwd: () => folder,
})
stderr.end()
notices.command!.push(...(await said).split('\n'))

process.stdout.write(JSON.stringify(notices))
await rm(folder, { recursive: true, force: true })
process.exit(0)
