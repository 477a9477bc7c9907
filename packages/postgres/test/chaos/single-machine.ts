import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderStore } from '@argot/agent'
import { createServer } from '@argot/server'
import { scenarioModel, scenarioTools } from '../../../server/test/crash/scenario.ts'
import { chaosDocument } from './played-runs.ts'

let template: Promise<string> | undefined

/** What one server on a folder writes into the document if nothing dies. Calls of documents with a `q` were asked about. */
export async function singleMachineText(name: string): Promise<string> {
  template ??= runAlone('d0')
  const text = (await template).replaceAll(/\bd0\b/g, name)
  if (!name.startsWith('q')) return text
  return text
    .replaceAll('"change"', '"change_asked"')
    .replaceAll('change gave', 'change_asked gave')
    .replaceAll(/(<tool_response tool_call_id="c[23]")/g, '$1 approved="yes" approved_by="local"')
}

async function runAlone(name: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'argot-alone-'))
  const docs = join(folder, 'docs')
  mkdirSync(docs)
  const file = join(docs, `${name}.chatmd`)
  writeFileSync(file, chaosDocument(name))
  const server = createServer({
    store: folderStore(docs, { key: Buffer.alloc(32, 7) }),
    stateFolder: join(folder, 'state'),
    run: {
      model: scenarioModel(folder, 0),
      tools: scenarioTools(folder),
      approve: 'all',
      env: {},
      cwd: docs,
      configFolder: join(folder, 'config'),
    },
  })
  const body = JSON.stringify({ document: `${name}.chatmd` })
  const headers = { 'content-type': 'application/json' }
  const sent = await server.fetch(new Request('http://127.0.0.1/api/runs', { method: 'POST', headers, body }))
  const { id } = (await sent.json()) as { id: string }
  await (await server.fetch(new Request(`http://127.0.0.1/api/runs/${id}/stream`))).text()
  await server.close()
  const text = readFileSync(file, 'utf8')
  rmSync(folder, { recursive: true, force: true })
  return text
}
