import { listen } from '@argot/server'
import { createProxy } from '@argot/server/proxy'

/** The proxy in a process of its own: its parent asks what it has spent so far. */
async function serve(upstream: string, send: (message: object) => void): Promise<void> {
  const proxy = createProxy({ upstream, limits: { streams: 5000, debugRecords: 50 } })
  const { port } = await listen(proxy, { port: 0 })
  process.on('message', message => {
    if (message === 'stop') process.exit(0)
    globalThis.gc?.()
    const { user, system } = process.cpuUsage()
    const { rss, heapUsed: heap } = process.memoryUsage()
    send({ cpuMs: (user + system) / 1000, rss, heap })
  })
  send({ port })
}

// Whoever lists the benches imports this file without being its parent.
if (process.send !== undefined) await serve(process.argv[2] ?? '', message => void process.send?.(message))
