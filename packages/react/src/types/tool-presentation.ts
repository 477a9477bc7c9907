import type { ToolInvocation } from '@argot/core'
import type { CallPresentation } from '@argot/core/stream/internal'
import type { ChatKnownToolName, ChatToolInput, ChatToolInvocationState, ChatToolOutput } from '@argot/core/types'
import type { ComponentType, ReactElement } from 'react'
import type { ChatRole } from './chat-message.ts'

/** What a tool is given of an input that may still be written. */
type InputSoFar<Name extends string> = unknown extends ChatToolInput<Name> ? unknown : Partial<ChatToolInput<Name>>

type Parameter<Name extends string> =
  unknown extends ChatToolInput<Name> ? string : Extract<keyof ChatToolInput<Name>, string>

/** How the calls of a tool are shown. */
export interface ToolPresentation<Name extends string = string> extends Omit<CallPresentation, 'subject'> {
  /** In place of the glyph of a call that is done; the state is said in words as ever. */
  icon?: ComponentType | ReactElement | undefined
  /** The parameter that says what a call is about, or a function that says it; it may see half an input. */
  subject?: Parameter<Name> | ((input: InputSoFar<Name>) => string | undefined) | undefined
  /** What came of it in a few words, in place of the built-in result. */
  summary?: ((call: ToolInvocation<Name, ChatToolInput<Name>, ChatToolOutput<Name>>) => string | undefined) | undefined
}

/**
 * Presentations by the exact name of the tool, with `'*'` for all others. Once tools are registered, the names and their
 * inputs and outputs are checked; other tools are shown by `'*'`.
 */
export type ToolPresentationMap = Readonly<
  { [Name in ChatKnownToolName]?: ToolPresentation<Name> | undefined } & { '*'?: ToolPresentation | undefined }
>

/** Where a call is, for a policy that opens and closes cards. */
export interface ToolOwnerState {
  toolName: string
  state: ChatToolInvocationState
  role: ChatRole
  /** The message is still streaming. */
  isMessageStreaming: boolean
  /** The section that is asked about; undefined for the card. */
  section: 'input' | 'output' | undefined
}

/** Whether a card or section is open, from a state on; `undefined` leaves it to the built-in behaviour. */
export type ExpandedResolver = (ownerState: ToolOwnerState) => boolean | undefined

/** By the exact name of the tool, with `'*'` for tools without an entry of their own. */
export type DefaultExpanded = Readonly<Record<string, boolean | ExpandedResolver | undefined>>
