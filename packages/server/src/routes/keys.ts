import type { Api } from '../api/index.ts'
import { Problem } from '../guard/problem.ts'
import { json, type Route } from './route.ts'
import { choice, flag, object, textWith } from './schema.ts'
import { problemSchema } from './schemas.ts'

const LONGEST_KEY = 16 * 1024

export const keyRoutes: readonly Route[] = [
  {
    method: 'PUT',
    path: '/api/keys/{provider}',
    id: 'storeKey',
    summary:
      "Stores a provider's key for the user who runs the server, like `argot keys set`. Only over loopback or HTTPS. No route returns a key.",
    bodyBytes: LONGEST_KEY + 1024,
    body: object<Api['storeKey']['body']>({ key: textWith({ maxLength: LONGEST_KEY }) }),
    answers: {
      200: {
        description:
          "The key was stored. `isUsed` is false if the server's environment has another key, which then applies.",
        schema: object<Api['storeKey']['answer']>({ place: choice('keyring', 'file'), isUsed: flag }),
      },
      403: { description: 'This server accepts no keys, or others could read the request.', schema: problemSchema },
      404: { description: 'There is no such provider.', schema: problemSchema },
      422: { description: 'This is not a key, or it cannot be stored.', schema: problemSchema },
    },
    async handle({ params, body, server, isPrivate }) {
      if (server.keys === undefined) {
        throw new Problem(403, 'SERVER_NO_KEYS', 'This server accepts no keys. Run `argot keys set` on its machine.')
      }
      if (!isPrivate) {
        const message = "Send keys over HTTPS, or from the server's own machine. Nothing was stored."
        throw new Problem(403, 'SERVER_NOT_PRIVATE', message)
      }
      return json(await server.keys.store(params.provider!, body.key))
    },
  },
]
