import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A proxy of TCP that cuts what has been silent for too long, as load balancers do. Time is what the test says it is. */
export interface IdleProxy {
  url: string
  /** How many connections were cut. */
  readonly cuts: number
  /** How many connections are open. */
  readonly open: number
  /** Lets time go by. */
  pass(ms: number): void
}

/** In front of a port of this machine. Ends with the test. */
export async function idleProxy(port: number, idleMs: number): Promise<IdleProxy> {
  let now = 0
  let cuts = 0
  const pairs = new Map<Socket, { server: Socket; last: number }>()
  const listener = createServer(client => {
    const server = connect(port, '127.0.0.1')
    const pair = { server, last: now }
    pairs.set(client, pair)
    const end = (): void => {
      pairs.delete(client)
      client.destroy()
      server.destroy()
    }
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('data', bytes => {
        pair.last = now
        to.write(bytes)
      })
      from.on('end', () => to.end())
      from.on('error', end)
      from.on('close', end)
    }
  })
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const [client, { server }] of pairs) {
      client.destroy()
      server.destroy()
    }
    listener.close()
  })
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    get cuts() {
      return cuts
    },
    get open() {
      return pairs.size
    },
    pass(ms) {
      now += ms
      for (const [client, { server, last }] of [...pairs]) {
        if (now - last < idleMs) continue
        cuts++
        client.destroy()
        server.destroy()
      }
    },
  }
}
