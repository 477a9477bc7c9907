import { join } from 'node:path'
import { folderStore } from '@argot/agent'
import { readLeaseMs } from '@argot/agent/internal'
import { createServer, listen, openQueue } from '@argot/server'
import { countOperations } from '../../../agent/test/crash/operations.ts'
import { scenarioModel, scenarioTools } from './scenario.ts'

/*
 * A server in a process of its own, which dies where `DIE` says: `operation N` before the N-th operation on the disk,
 * `half N` in the middle of it, `part N` before the N-th part of what the model says, `tool NAME` in that tool. It prints
 * its address. With `POLICY` it asks about every change (`ask`), about none (`all`), or about one of two by a rule (`rules`).
 */
const { FOLDER = '', DIE = '', PACE = '1', POLICY = 'ask' } = process.env
const [place, which] = DIE.split(' ')

function die(): void {
  process.kill(process.pid, 'SIGKILL')
}

countOperations({
  tick: false,
  before: number => {
    if (place === 'operation' && number === Number(which)) die()
  },
  half: number => place === 'half' && number === Number(which),
  die,
})

const places = {
  part: (number: number): void => {
    if (place === 'part' && number === Number(which)) die()
  },
  tool: (name: string): void => {
    if (place === 'tool' && name === which) die()
  },
}

const docs = join(FOLDER, 'docs')
const server = createServer({
  store: folderStore(docs, { key: Buffer.alloc(32, 7) }),
  queue: await openQueue(join(FOLDER, 'state'), { leaseMs: readLeaseMs(process.env) }),
  notice: text => process.stderr.write(`${text}\n`),
  limits: { streamsPerClient: 1000 },
  run: {
    model: scenarioModel(FOLDER, Number(PACE), places),
    tools: scenarioTools(FOLDER, places),
    approve: POLICY === 'all' ? 'all' : 'ask',
    ...(POLICY === 'rules' ? { approve: { default: 'ask', change: 'all' }, rules: { ask: ['change'] } } : {}),
    env: {},
    cwd: docs,
    configFolder: join(FOLDER, 'config'),
  },
})
const { port } = await listen(server, { port: 0 })
process.stdout.write(`http://127.0.0.1:${port}\n`)
server.lost.addEventListener('abort', () => process.exit(3))
