import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { main } from '@argot/cli'
import type { Result } from './argot.ts'

export interface InProcessOptions {
  cwd: string
  env?: Record<string, string>
  input?: string
}

/** Runs the command line in this process, as in a pipe: the same as `argot`, without the time that a process takes. */
export async function inProcess(args: readonly string[], { cwd, env = {}, input }: InProcessOptions): Promise<Result> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  stdin.end(input ?? '')
  const said = Promise.all([text(stdout), text(stderr)])
  const status = await main(args, { stdin, stdout, stderr, env: { HOME: cwd, ...env }, cwd: () => cwd })
  stdout.end()
  stderr.end()
  const [out, err] = await said
  return { status, stdout: out, stderr: err }
}
