import type { ChatAdapter } from '@argot/react/types'

export const adapter: ChatAdapter = {
  async sendMessage({ message }) {
    void message
    return new ReadableStream({
      start(controller) {
        controller.enqueue({ type: 'start', messageId: 'msg-1' })

        // Tool input streaming
        controller.enqueue({
          type: 'tool-input-start',
          toolCallId: 'call-1',
          toolName: 'get_weather',
        })
        controller.enqueue({
          type: 'tool-input-delta',
          toolCallId: 'call-1',
          inputTextDelta: '{"city":',
        })
        controller.enqueue({
          type: 'tool-input-delta',
          toolCallId: 'call-1',
          inputTextDelta: '"Paris"}',
        })
        controller.enqueue({
          type: 'tool-input-available',
          toolCallId: 'call-1',
          toolName: 'get_weather',
          input: { city: 'Paris' },
        })

        // Tool output
        controller.enqueue({
          type: 'tool-output-available',
          toolCallId: 'call-1',
          output: { temperature: 22, condition: 'sunny' },
        })

        controller.enqueue({ type: 'finish', messageId: 'msg-1' })
        controller.close()
      },
    })
  },
}

/** A tool that is not known when the program is compiled. */
export const dynamic: ChatAdapter = {
  async sendMessage() {
    return new ReadableStream({
      start(controller) {
        controller.enqueue({ type: 'start', messageId: 'msg-2' })
        controller.enqueue({
          type: 'tool-input-start',
          toolCallId: 'call-2',
          toolName: 'user_defined_tool',
          dynamic: true,
        })
        controller.enqueue({
          type: 'tool-input-available',
          toolCallId: 'call-2',
          toolName: 'user_defined_tool',
          input: { query: 'anything' },
          dynamic: true,
        })
        controller.enqueue({ type: 'tool-input-error', toolCallId: 'call-3', errorText: 'No JSON.' })
        controller.enqueue({ type: 'finish', messageId: 'msg-2' })
        controller.close()
      },
    })
  },
}
