/** A message as one record: the final answer, plus the calls with the text that led to each. */
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
  /**
   * The arguments as the model wrote them, if the call was invalid: unreadable text, or an object that didn't match.
   */
  rawArgs?: unknown
  result?: unknown
  status: 'pending' | 'running' | 'completed' | 'error'
  error?: string
  /** The text that led to this call, trimmed. */
  commentary?: string
}

export interface ToolActivity {
  isActive: boolean
  /** The running tool's name. */
  currentStep?: string
}
