import { listen } from '@argot/server'
import { createProxy } from '@argot/server/proxy'

/** The proxy in a process of its own: its parent asks what it has spent so far. */
async function serve(upstream: string, send: (message: object) => void): Promise<void> {
  const proxy = createProxy({ upstream, limits: { streams: 5000, debugRecords: 50 } })
  const { port } = await listen(proxy, { port: 0 })
  process.on('message', message => {
    if (message === 'stop') process.exit(0)
    // A full collection throws away compiled code, so it may only precede a measurement of memory.
    if (message === 'memory') globalThis.gc?.()
    const { user, system } = process.cpuUsage()
    const { rss, heapUsed, external } = process.memoryUsage()
    send({ cpuMs: (user + system) / 1000, rss, heap: heapUsed + external })
  })
  send({ port })
}

// Whoever lists the benches imports this file without being its parent.
if (process.send !== undefined) await serve(process.argv[2] ?? '', message => void process.send?.(message))
