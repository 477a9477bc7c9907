import type { LanguageModelV3 } from '@ai-sdk/provider'
import { type Syntax, syntaxes } from '@argot/core/syntax'
import type { CallLimit } from '@argot/core/syntax/internal'
import { chooseModel } from '../model/choose-model.ts'
import type { Model } from '../model/model.ts'
import { requireFinish } from '../model/require-finish.ts'
import { readSettings } from '../model/settings.ts'

/** The syntax in which leaked calls are looked for; `true` means all dialects at once. */
export function salvageSyntax(salvage: boolean | string | undefined): Syntax | undefined {
  if (salvage === undefined || salvage === false) return undefined
  return syntaxes.get(salvage === true ? 'auto' : salvage)
}

/** How many calls a message may hold: as somebody chose, else as users of the syntax that is read expect. */
export function callLimit(chosen: CallLimit | undefined, syntax: Syntax, salvage: Syntax | undefined): CallLimit {
  const read = syntax.kind === 'native' ? (salvage ?? syntax) : syntax
  return chosen ?? read.limit ?? 'none'
}

/** The model that a name, a model of the AI SDK or a `Model` stands for. */
export async function toModel(
  model: string | LanguageModelV3 | Model | undefined,
  options: Parameters<typeof chooseModel>[1],
): Promise<Model> {
  if (model === undefined || typeof model === 'string') return chooseModel(model, options)
  if ('language' in model) return model
  return {
    name: `${model.provider}:${model.modelId}`,
    language: requireFinish(model),
    nativeTools: true,
    settings: readSettings,
  }
}
