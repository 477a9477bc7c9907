import { chatRoutes } from './chat.ts'
import { documentRoutes } from './documents.ts'
import { durableLogRoutes } from './durable-log.ts'
import { eventRoutes } from './events.ts'
import { healthRoutes } from './health.ts'
import { modelRoutes } from './models.ts'
import type { AnyRoute } from './route.ts'
import { runRoutes } from './runs.ts'
import { searchRoutes } from './search.ts'
import { turnRoutes } from './turns.ts'

/** Every route, those with more to say in their path first. */
export const allRoutes: readonly AnyRoute[] = [
  ...healthRoutes,
  ...chatRoutes,
  ...runRoutes,
  ...durableLogRoutes,
  ...modelRoutes,
  ...searchRoutes,
  ...turnRoutes,
  ...documentRoutes,
  ...eventRoutes,
]
