import { ChatProvider } from '@argot/react'
import type { ReactNode } from 'react'
import { adapter } from './adapter.ts'

/** What `onToolCall` was told. */
export const told: string[] = []

export function Observing({ children: MyChat }: { children: ReactNode }) {
  return (
    <ChatProvider
      adapter={adapter}
      onToolCall={({ toolCall }) => {
        told.push(`Tool "${toolCall.toolName}" is now ${toolCall.state}`)

        if (toolCall.state === 'output-available') {
          // Drive side effects — update dashboards, trigger notifications, etc.
        }
      }}
    >
      {MyChat}
    </ChatProvider>
  )
}

/** A check of the name narrows the payload. */
export function Narrowing() {
  return (
    <ChatProvider
      adapter={adapter}
      onToolCall={({ toolCall, replayed }) => {
        if (toolCall.toolName === 'get_weather') {
          const city: string | undefined = toolCall.input?.city
          const temperature: number | undefined = toolCall.output?.temperature
          // @ts-expect-error the weather has no query
          toolCall.input?.query
          return [city, temperature, replayed]
        }
        switch (toolCall.toolName) {
          case 'search_docs':
            return toolCall.output?.results.map(({ title }) => title.toUpperCase())
          default:
            return toolCall.toolName.toUpperCase()
        }
      }}
    />
  )
}
