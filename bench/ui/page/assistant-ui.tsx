import { accumulate, isToolPart } from '@argot/core'
import {
  AssistantRuntimeProvider,
  type ChatModelAdapter,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
  useLocalRuntime,
} from '@assistant-ui/react'
import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { chunks, type HistoryMessage, start } from './harness.ts'

const model: ChatModelAdapter = {
  async *run() {
    const fold = accumulate()
    const reader = chunks().getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      fold.push(value)
      const content = (fold.message?.parts ?? []).flatMap((part): object[] => {
        if (part.type === 'text') return [{ type: 'text' as const, text: part.text }]
        if (!isToolPart(part)) return []
        const { toolCallId, toolName, input = {}, output } = part.toolInvocation
        return [
          {
            type: 'tool-call' as const,
            toolCallId,
            toolName,
            args: input,
            argsText: JSON.stringify(input),
            result: output,
          },
        ]
      })
      yield { content } as never
    }
  },
}

const Tool = ({ argsText }: { argsText: string }): ReactNode => <pre>{argsText}</pre>

function Message(): ReactNode {
  return (
    <MessagePrimitive.Root>
      <MessagePrimitive.Parts components={{ tools: { Fallback: Tool as never } }} />
    </MessagePrimitive.Root>
  )
}

function Page({ history }: { history: readonly HistoryMessage[] }): ReactNode {
  const runtime = useLocalRuntime(model, {
    initialMessages: history.map(({ id, role, text }) => ({ id, role, content: [{ type: 'text', text }] })),
  })
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ThreadPrimitive.Root style={{ height: '100%' }}>
        <ThreadPrimitive.Viewport style={{ height: '80%', overflow: 'auto' }}>
          <ThreadPrimitive.Messages components={{ Message }} />
        </ThreadPrimitive.Viewport>
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input />
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  )
}

start({ mount: (host, history) => createRoot(host).render(<Page history={history} />) })
