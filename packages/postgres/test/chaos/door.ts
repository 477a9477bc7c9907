import { connect, createServer, type Server, type Socket } from 'node:net'

/** The one address of a database, as a proxy or a virtual IP gives it: it can lead elsewhere, cut connections, and shut. */
export class Door {
  readonly #server: Server
  readonly #sockets: Set<Socket> = new Set()
  /** Where it leads; undefined refuses everyone. */
  target: number | undefined

  constructor(target: number) {
    this.target = target
    this.#server = createServer(socket => this.#pass(socket))
  }

  async open(): Promise<string> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve))
    const { port } = this.#server.address() as { port: number }
    return `postgres://argot@127.0.0.1:${port}/postgres`
  }

  /** Connections end in the middle of whatever they do. */
  cut(): number {
    const count = this.#sockets.size / 2
    for (const socket of this.#sockets) socket.destroy()
    return count
  }

  async close(): Promise<void> {
    this.target = undefined
    this.cut()
    await new Promise(resolve => this.#server.close(resolve))
  }

  #pass(socket: Socket): void {
    if (this.target === undefined) return void socket.destroy()
    const other = connect(this.target, '127.0.0.1')
    for (const [one, peer] of [
      [socket, other],
      [other, socket],
    ] as const) {
      this.#sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        this.#sockets.delete(one)
        peer.destroy()
      })
      one.pipe(peer)
    }
  }
}
