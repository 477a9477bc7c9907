import { ArgotError } from '@argot/core'
import { defined, firstCharacters } from '@argot/core/stream/internal'
import { describeModelError } from '../model/errors/model-error.ts'
import type { Model, ModelSettings } from '../model/model.ts'
import { openReply } from '../model/require-finish.ts'

export type AskModel = (system: string, question: string) => Promise<string>

export interface AskModelOptions {
  model: Model
  settings: ModelSettings
  signal?: AbortSignal | undefined
  redact: (value: unknown) => unknown
}

/** A longer answer can't be a useful one. */
const MAX_CHARACTERS = 256 * 1024

/** The demo model understands nothing, and a recording has only its own answers. */
export function canAskModel({ name }: Pick<Model, 'name'>): boolean {
  return !/^(?:demo$|replay:)/.test(name)
}

/** Asks a model outside any conversation, without tools. Its errors are `ArgotError`s worded for people. */
export function createAskModel({ model, settings, signal, redact }: AskModelOptions): AskModel {
  return async (system, question) => {
    let text = ''
    try {
      const reply = await openReply(model.language, {
        prompt: [
          { role: 'system', content: system },
          { role: 'user', content: [{ type: 'text', text: question }] },
        ],
        ...model.settings(settings),
        ...defined({ abortSignal: signal }),
      })
      for (;;) {
        const { done, value } = await reply.read()
        if (done || value.type === 'finish') return text
        if (value.type === 'error') throw value.error
        if (value.type === 'text-delta') text += value.delta
        if (text.length > MAX_CHARACTERS) {
          await reply.cancel()
          return firstCharacters(text, MAX_CHARACTERS)
        }
      }
    } catch (error) {
      signal?.throwIfAborted()
      const { code, message } = describeModelError(error, model, redact)
      throw new ArgotError(code, message)
    }
  }
}
