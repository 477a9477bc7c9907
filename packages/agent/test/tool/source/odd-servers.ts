import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { bundlePrograms } from '../../../../../test/bundle-programs.ts'

const program: string = bundlePrograms([join(import.meta.dirname, 'odd-server.mjs')])[0]!

/** The server as a document names it: a program that is started. */
export function stdioServer(mood = ''): string {
  return `stdio:${process.execPath} ${program} ${mood}`.trim()
}

/** The same server over HTTP, until `stop`; at any port, or at that one. */
export async function startHttpServer(mood = '', port = 0): Promise<{ url: string; stop: () => Promise<void> }> {
  const child: ChildProcess = spawn(process.execPath, [program, 'http', mood, String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout!, 'data')) as [Buffer]
  return {
    url: `http://127.0.0.1:${Number(line.toString())}/mcp`,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}
