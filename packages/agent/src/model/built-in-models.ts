import { createDemoModel } from './demo/demo-model.ts'
import type { Model } from './model.ts'
import { createReplayModel } from './replay-model.ts'

/** What a model of Argot's own may need to know. */
export interface OwnModelOptions {
  /** Where a relative path in its name starts. */
  directory?: string
}

/** Makes a model of Argot's own. `rest` is what its name has after the colon. */
export type CreateOwnModel = (rest: string, options: OwnModelOptions) => Promise<Model>

/** The models that need no provider, by the word before the colon: `demo`, `replay`. */
export const ownModels: Map<string, CreateOwnModel> = new Map<string, CreateOwnModel>([
  ['demo', async () => createDemoModel()],
  ['replay', createReplayModel],
])
