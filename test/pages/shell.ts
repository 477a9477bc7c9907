import { spawn } from 'node:child_process'

export interface Ended {
  status: number | null
  stdout: string
  stderr: string
}

/** Runs a script that stops at its first failure, an HTTP answer of 400 and above included. */
export function runScript(script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Ended> {
  const text = `curl() { command curl -fsS "$@"; }\n${script}`
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', text], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 100_000,
  })
  const ended = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) shell[name].on('data', piece => (ended[name] += String(piece)))
  return new Promise(resolve => shell.on('close', status => resolve({ status, ...ended })))
}

/** The server that a page talks about, at any free port. */
export async function serveFolder(
  command: string,
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<{ address: string; stop: () => void }> {
  const server = spawn(command, ['serve', folder, '--port', '0'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  const address = await new Promise<string>((resolve, reject) => {
    const read = (piece: unknown): void => {
      output += String(piece)
      const match = /http:\/\/([\w.]+:\d+)/.exec(output)
      if (match !== null) resolve(match[1]!)
    }
    server.stdout.on('data', read)
    server.stderr.on('data', read)
    server.on('close', () => reject(new Error(output)))
  })
  return { address, stop: () => server.kill() }
}
