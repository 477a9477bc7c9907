import { ChatProvider } from '@argot/react'
import type { ChatPartRendererMap, ChatToolInvocation } from '@argot/react/types'
import type { ReactNode } from 'react'
import { adapter } from './adapter.ts'

function Skeleton({ children }: { children?: ReactNode }) {
  return <i>{children}</i>
}

function Alert({ severity, children }: { severity: string; children?: ReactNode }) {
  return <p data-severity={severity}>{children}</p>
}

function ToolCard({ invocation }: { invocation: ChatToolInvocation }) {
  switch (invocation.state) {
    case 'input-streaming':
      return <Skeleton>Calling {invocation.toolName}</Skeleton>
    case 'output-available':
      return <pre>{JSON.stringify(invocation.output, null, 2)}</pre>
    case 'output-error':
      return <Alert severity="error">{invocation.errorText}</Alert>
    default:
      return <pre>{JSON.stringify(invocation.input, null, 2)}</pre>
  }
}

export const renderers: ChatPartRendererMap = {
  tool: ({ part }) => <ToolCard invocation={part.toolInvocation} />,
}

export function Rendering({ children: MyChat }: { children: ReactNode }) {
  return (
    <ChatProvider adapter={adapter} partRenderers={renderers}>
      {MyChat}
    </ChatProvider>
  )
}

/** A check of the name narrows in a renderer too. */
export const narrow: ChatPartRendererMap = {
  tool: ({ part: { toolInvocation } }) => {
    if (toolInvocation.toolName !== 'get_weather') return null
    return `${toolInvocation.input?.city}: ${toolInvocation.output?.temperature.toFixed(0)}`
  },
  'dynamic-tool': ({ part }) => {
    // @ts-expect-error what a dynamic tool takes is not known
    part.toolInvocation.input?.query
    return part.toolInvocation.toolName
  },
}
