import { readChatRequest } from './chat-request.ts'
import { ChatWriter } from './chat-writer.ts'
import { messagesError } from './messages-error.ts'
import { readMessagesRequest } from './messages-request.ts'
import { MessagesWriter } from './messages-writer.ts'
import { openAiError } from './openai-error.ts'
import type { Protocol } from './protocol.ts'
import { readResponsesRequest } from './responses-request.ts'
import { ResponsesWriter } from './responses-writer.ts'

export const chatCompletions: Protocol = {
  read: readChatRequest,
  writer: request => new ChatWriter(request),
  error: openAiError,
}

export const messages: Protocol = {
  read: readMessagesRequest,
  writer: request => new MessagesWriter(request),
  error: messagesError,
}

export const responses: Protocol = {
  read: readResponsesRequest,
  writer: request => new ResponsesWriter(request),
  error: openAiError,
}
