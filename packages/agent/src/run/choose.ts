import type { LanguageModelV3 } from '@ai-sdk/provider'
import { type CallLimit, type Syntax, syntaxes } from 'argot/syntax'
import { chooseModel } from '../model/choose-model.ts'
import type { Model } from '../model/model.ts'
import { requireFinish } from '../model/require-finish.ts'
import { readSettings } from '../model/settings.ts'

/** Syntaxes whose messages hold one call, as their users expect; the others have no limit. */
const limits: ReadonlyMap<string, CallLimit> = new Map([
  ['xml', 'one'],
  ['caret', 'one'],
])

export function callLimit(syntax: Syntax): CallLimit {
  return limits.get(syntax.name) ?? 'none'
}

/** The syntaxes in which leaked calls are looked for; `true` means the most common one. */
export function salvageSyntaxes(salvage: boolean | readonly string[] | undefined): readonly Syntax[] | undefined {
  if (salvage === undefined || salvage === false) return undefined
  return (salvage === true ? ['hermes'] : salvage).map(name => syntaxes.get(name))
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
