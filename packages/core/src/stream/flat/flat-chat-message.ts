/** A message as one record: the final answer, and beside it the calls with the text that led to each. */
export interface FlatChatMessage {
  id: string
  role: 'user' | 'assistant' | 'system'
  /** The final answer only, without commentary. */
  content: string
  toolCalls?: FlatToolCall[]
  createdAt: Date
  toolActivity?: ToolActivity
}

export interface FlatToolCall {
  id: string
  name: string
  args: Record<string, unknown>
  /** What the model wrote as arguments, if the call was not valid: text that could not be read, or an object that did not fit. */
  rawArgs?: unknown
  result?: unknown
  status: 'pending' | 'running' | 'completed' | 'error'
  error?: string
  /** The text that led to this call, trimmed. */
  commentary?: string
}

/** What the message is busy with right now. */
export interface ToolActivity {
  isActive: boolean
  /** The name of the tool that runs. */
  currentStep?: string
}
