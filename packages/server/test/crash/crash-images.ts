import { cp, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Tool } from '@argot/agent'
import { onTestFinished } from 'vitest'
import type { ScriptedStep } from '../../../agent/test/scripted-model.ts'
import { gate } from '../clients/gate.ts'
import { openFolder, type ServedFolder, type ServeOptions, serveFolder } from '../served-folder.ts'

/** What a server's disk holds if the process dies after any line of a run's log. */
export interface CrashImages {
  run: string
  /** How many lines the log of the complete run has. */
  lines: number
  /** A server over what a process that died after this many lines left. */
  open(lines: number, steps: readonly ScriptedStep[], options?: ServeOptions): Promise<ServedFolder>
}

/**
 * Runs `chat.chatmd` once, then cuts its log. The document is the one from before the run's first element: a log is always
 * ahead of its document. The queue's journal is the one from the middle of the run, and the locks are gone, as after a restart
 * of the machine.
 */
export async function recordCrashes(
  steps: readonly ScriptedStep[],
  { input, ...options }: ServeOptions & { files: Record<string, string>; tools?: readonly Tool[]; input: string },
): Promise<CrashImages> {
  const first = gate()
  const before = { before: () => first.wait() }
  const served = await serveFolder(steps, { ...options, before })
  const root = dirname(served.folder)
  const { id } = await served.post('/api/runs', { document: 'chat.chatmd', input })
  await first.reached
  const template = await temporaryFolder()
  await cp(root, template, { recursive: true })
  first.open()
  await served.until(id, 'done', 'waiting')
  const log = join('docs', '.chatmd', 'runs', 'chat.chatmd', `${id}.jsonl`)
  const [header, ...lines] = (await readFile(join(root, log), 'utf8')).trimEnd().split('\n')
  await served.server.close()
  return {
    run: id,
    lines: lines.length,
    async open(count, next, nextOptions = {}) {
      const folder = await temporaryFolder()
      await cp(template, folder, { recursive: true })
      await rm(join(folder, 'state', 'server.lock'), { force: true })
      await rm(join(folder, 'docs', '.chatmd', 'locks'), { recursive: true, force: true })
      await writeFile(join(folder, log), `${[header, ...lines.slice(0, count)].join('\n')}\n`)
      const { files: _, tools = options.tools ?? [], before: hold, ...rest } = { ...options, ...nextOptions }
      return openFolder(folder, next, tools, hold, rest)
    },
  }
}

async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'argot-crash-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
