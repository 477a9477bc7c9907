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
      'Stores the key of a provider for the user who runs the server, as `argot keys set` does. Only over loopback or HTTPS. No route gives a key back.',
    bodyBytes: LONGEST_KEY + 1024,
    body: object<Api['storeKey']['body']>({ key: textWith({ maxLength: LONGEST_KEY }) }),
    answers: {
      200: {
        description:
          'It is stored. `isUsed` is false if the environment of the server has another key, which then applies.',
        schema: object<Api['storeKey']['answer']>({ place: choice('keyring', 'file'), isUsed: flag }),
      },
      403: { description: 'This server takes no keys, or others could read the request.', schema: problemSchema },
      404: { description: 'There is no such provider.', schema: problemSchema },
      422: { description: 'It is not a key, or cannot be stored.', schema: problemSchema },
    },
    async handle({ params, body, server, isPrivate }) {
      if (server.keys === undefined) {
        throw new Problem(403, 'SERVER_NO_KEYS', 'This server takes no keys. Use `argot keys set` where it runs.')
      }
      if (!isPrivate) {
        const message = 'A key is taken over HTTPS, or on the machine of the server. Nothing was stored.'
        throw new Problem(403, 'SERVER_NOT_PRIVATE', message)
      }
      return json(await server.keys.store(params.provider!, body.key))
    },
  },
]
