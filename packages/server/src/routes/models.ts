import { join } from 'node:path'
import { askServers, documentSettings, listProviders, takesKey } from '@argot/agent/internal'
import { defined } from '@argot/core/stream/internal'
import { syntaxes } from '@argot/core/syntax'
import type { Api, DocumentSettings, ListedModel } from '../api/index.ts'
import { requireDocument } from '../guard/document-path.ts'
import { json, type Route } from './route.ts'
import { choice, flag, list, object, optional, text } from './schema.ts'
import { problemSchema } from './schemas.ts'
import type { ServerContext } from './server-context.ts'

/** Further models of one server aren't listed. Any other name can still be typed. */
const MOST_MODELS = 100
const LONGEST_NAME = 200

/** The models that `argot models` knows, without keys and addresses. */
async function listModels(env: Readonly<Record<string, string | undefined>>): Promise<ListedModel[]> {
  const providers = listProviders(env).filter(({ name }) => name !== 'replay')
  const servers = await askServers(providers, env)
  return providers.flatMap(({ name: provider, title, example, isReady, needs }): ListedModel[] => {
    const server = servers.get(provider)
    const one = { provider, title, ...defined({ takesKey: takesKey(provider) || undefined }) }
    if (!isReady) return [{ ...one, name: example, isReady, ...defined({ needs: needs || undefined }) }]
    if (server?.problem !== undefined) {
      return [{ ...one, name: example, isReady: false, needs: 'its server does not answer' }]
    }
    const names = server?.models?.filter(id => id.length <= LONGEST_NAME).slice(0, MOST_MODELS)
    if (names === undefined || names.length === 0) {
      const isWhole = !example.endsWith(':NAME')
      return [
        { ...one, name: example, isReady: isWhole, ...defined({ needs: isWhole ? undefined : 'it has no models' }) },
      ]
    }
    return names.map(id => ({ ...one, name: `${provider}:${id}`, isReady: true }))
  })
}

async function readSettings(path: string, { store, run }: ServerContext): Promise<DocumentSettings> {
  const { text } = await store.documents.read(path)
  const file = store.root === undefined ? path : join(store.root, path)
  return documentSettings({ file, text }, { ...run, cwd: run.cwd ?? store.root })
}

export const modelRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/models',
    id: 'listModels',
    summary: 'The models and syntaxes that a run can use. Keys are not shown.',
    answers: {
      200: {
        description: "The models. A model that can't be used now says what it needs.",
        schema: object<Api['listModels']['answer']>({
          models: list(
            object<ListedModel>({
              name: text,
              provider: text,
              title: text,
              isReady: flag,
              needs: optional(text),
              takesKey: optional(flag),
            }),
          ),
          syntaxes: list(text),
          takesKeys: flag,
        }),
      },
    },
    async handle({ server, isPrivate }) {
      const models = await listModels(server.run.env ?? process.env)
      return json({ models, syntaxes: syntaxes.names(), takesKeys: server.keys !== undefined && isPrivate })
    },
  },
  {
    method: 'GET',
    path: '/api/documents/{path}/settings',
    id: 'readSettings',
    summary: "The document's default model, syntax and approvals for a run.",
    answers: {
      200: {
        description: "What a run uses. If the document can't run unchanged, `problem` says why.",
        schema: object<DocumentSettings>({
          model: text,
          syntax: text,
          approve: choice('all', 'ask', 'readonly', 'none'),
          allowsRelax: optional(flag),
          problem: optional(text),
        }),
      },
      404: { description: 'There is no such document.', schema: problemSchema },
      422: { description: 'The document is not text.', schema: problemSchema },
    },
    async handle({ params, server }) {
      const path = await requireDocument(server.store, params.path!)
      const settings = await readSettings(path, server)
      return json(server.relaxations === undefined ? settings : { ...settings, allowsRelax: true })
    },
  },
]
