import type { LanguageModelV3 } from '@ai-sdk/provider'
import { chooseModel } from '../model/choose-model.ts'
import type { Model } from '../model/model.ts'
import { requireFinish } from '../model/require-finish.ts'
import { readSettings } from '../model/settings.ts'

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
