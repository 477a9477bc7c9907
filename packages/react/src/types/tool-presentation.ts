import type { ToolInvocation } from '@argot/core'
import type { CallPresentation } from '@argot/core/stream/internal'
import type { ChatKnownToolName, ChatToolInput, ChatToolInvocationState, ChatToolOutput } from '@argot/core/types'
import type { ComponentType, ReactElement } from 'react'
import type { ChatRole } from './chat-message.ts'

/** A tool's input, which may still be incomplete. */
type InputSoFar<Name extends string> = unknown extends ChatToolInput<Name> ? unknown : Partial<ChatToolInput<Name>>

type Parameter<Name extends string> =
  unknown extends ChatToolInput<Name> ? string : Extract<keyof ChatToolInput<Name>, string>

/** How a tool's calls are shown. */
export interface ToolPresentation<Name extends string = string> extends Omit<CallPresentation, 'subject'> {
  /** Replaces a finished call's glyph; the state is still given in words. */
  icon?: ComponentType | ReactElement | undefined
  /** The parameter that names a call's subject, or a function that returns it; the input may be incomplete. */
  subject?: Parameter<Name> | ((input: InputSoFar<Name>) => string | undefined) | undefined
  /** The result in a few words, in place of the built-in one. */
  summary?: ((call: ToolInvocation<Name, ChatToolInput<Name>, ChatToolOutput<Name>>) => string | undefined) | undefined
}

/**
 * Presentations by the tool's exact name, with `'*'` for all others. Once tools are registered, the names and their
 * inputs and outputs are type-checked; other tools use `'*'`.
 */
export type ToolPresentationMap = Readonly<
  { [Name in ChatKnownToolName]?: ToolPresentation<Name> | undefined } & { '*'?: ToolPresentation | undefined }
>

/** A call's state, for a policy that opens and closes cards. */
export interface ToolOwnerState {
  toolName: string
  state: ChatToolInvocationState
  role: ChatRole
  isMessageStreaming: boolean
  /** The section in question; undefined for the card. */
  section: 'input' | 'output' | undefined
}

/** Whether a card or section is open, from a state on; `undefined` leaves it to the built-in behaviour. */
export type ExpandedResolver = (ownerState: ToolOwnerState) => boolean | undefined

/** By the tool's exact name, with `'*'` for tools without their own entry. */
export type DefaultExpanded = Readonly<Record<string, boolean | ExpandedResolver | undefined>>
