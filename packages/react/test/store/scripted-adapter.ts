import type { Chunk } from '@argot/core'
import type { Envelope } from '@argot/core/stream/internal'
import type { ChatAdapter, ChatAddToolApproveResponseInput, ChatStream } from '@argot/react/types'

/** An adapter whose streams a test writes chunk by chunk. It keeps what it was asked. */
export class ScriptedAdapter implements ChatAdapter {
  readonly sent: string[] = []
  readonly answers: ChatAddToolApproveResponseInput[] = []
  readonly streams: ReadableStreamDefaultController<Chunk | Envelope>[] = []

  sendMessage: ChatAdapter['sendMessage'] = ({ message }) => {
    this.sent.push(message.parts.map(part => (part.type === 'text' ? part.text : part.type)).join('|'))
    return this.open()
  }

  reconnectToStream?: NonNullable<ChatAdapter['reconnectToStream']>

  steer?: NonNullable<ChatAdapter['steer']>

  addToolOutput?: NonNullable<ChatAdapter['addToolOutput']>

  async addToolApprovalResponse(input: ChatAddToolApproveResponseInput): Promise<ChatStream | undefined> {
    this.answers.push(input)
    return undefined
  }

  open(): ChatStream {
    return new ReadableStream<Chunk | Envelope>({
      start: controller => {
        this.streams.push(controller)
      },
    })
  }

  /** Writes chunks into the newest stream. */
  say(...chunks: (Chunk | Envelope)[]): void {
    for (const chunk of chunks) this.streams.at(-1)!.enqueue(chunk)
  }

  close(): void {
    this.streams.at(-1)!.close()
  }

  fail(error: Error): void {
    this.streams.at(-1)!.error(error)
  }
}

/** Lets everything that is ready happen. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(resolve => setTimeout(resolve, 5))
}
