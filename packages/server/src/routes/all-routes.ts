import { answerRoutes } from './answers.ts'
import { chatRoutes } from './chat.ts'
import { documentMoveRoutes } from './document-moves.ts'
import { documentRoutes } from './documents.ts'
import { durableLogRoutes } from './durable-log.ts'
import { eventRoutes } from './events.ts'
import { healthRoutes } from './health.ts'
import { keyRoutes } from './keys.ts'
import { modelRoutes } from './models.ts'
import { relaxRoutes } from './relax.ts'
import type { AnyRoute } from './route.ts'
import { runRoutes } from './runs.ts'
import { searchRoutes } from './search.ts'
import { turnRoutes } from './turns.ts'

/** Every route, more specific paths first. */
export const allRoutes: readonly AnyRoute[] = [
  ...healthRoutes,
  ...chatRoutes,
  ...runRoutes,
  ...durableLogRoutes,
  ...keyRoutes,
  ...modelRoutes,
  ...searchRoutes,
  ...relaxRoutes,
  ...answerRoutes,
  ...documentMoveRoutes,
  ...turnRoutes,
  ...documentRoutes,
  ...eventRoutes,
]
