import '@argot/react/styles.css'
import { ToolCard } from '@argot/react'
import { ChatBox, type ChatBoxProps } from '@mui/x-chat'
import { type ChatPartRendererProps, type ChatToolMessagePart, useChat } from '@mui/x-chat/headless'

function Card({ part, message }: ChatPartRendererProps<ChatToolMessagePart>) {
  const { addToolApprovalResponse } = useChat()
  return <ToolCard {...{ part, message, addToolApprovalResponse }} />
}

export function Chat({ adapter }: Pick<ChatBoxProps, 'adapter'>) {
  return <ChatBox adapter={adapter} partRenderers={{ tool: props => <Card {...props} /> }} />
}
