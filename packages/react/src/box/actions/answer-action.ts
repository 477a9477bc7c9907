import type { ChatMessage } from '@argot/core/types'
import { type Context, createContext } from 'react'

/** An action on a finished answer: one of the box's own, or one of the page's. */
export type AnswerAction =
  | 'copy'
  | 'retry'
  | 'branches'
  | 'feedback'
  | 'info'
  | { name: string; label: string; onPress: (message: ChatMessage) => unknown }

export const allActions: readonly AnswerAction[] = ['copy', 'retry', 'branches', 'feedback', 'info']

export const ActionsContext: Context<readonly AnswerAction[]> = createContext(allActions)
