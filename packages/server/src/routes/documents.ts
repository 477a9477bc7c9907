import { basename, join } from 'node:path'
import type { RunOptions } from '@argot/agent'
import type { TrashedDocument } from '@argot/agent/internal'
import { branchDocument, checkDocument, previewDocument } from '@argot/agent/workshop'
import { ArgotError, toUIMessage } from '@argot/core'
import { defined } from '@argot/core/stream/internal'
import type { Api, TrashEntry } from '../api/index.ts'
import { documentPath, isDocument, isStored, realDocument, requireDocument } from '../guard/document-path.ts'
import { Problem } from '../guard/problem.ts'
import { requestedModel } from '../guard/requested-model.ts'
import { json, type Route, type RouteInput, type TypedResponse } from './route.ts'
import { flag, list, object, openObject, optional, text, textWith } from './schema.ts'
import * as schemas from './schemas.ts'
import type { ServerContext } from './server-context.ts'

const unreadable = { description: 'The document is not text.', schema: schemas.problemSchema }
const version = { etag: 'The version of the document.' }
const versionSchema = openObject<Api['writeDocument']['answer']>({ version: text })
const checkSchema = openObject<Api['checkDocument']['answer']>({ diagnostics: list(schemas.diagnosticSchema) })
const pathSchema = openObject<Api['branchDocument']['answer']>({ path: text })
const noDocument = { description: 'There is no such document.', schema: schemas.problemSchema }

async function write({
  params,
  body,
  request,
  server,
}: RouteInput<string>): Promise<TypedResponse<Api['writeDocument']['answer']>> {
  const path = documentPath(server.store.root, params.path!)
  const ifMatch = request.headers.get('if-match')?.replace(/^W\/|"/g, '')
  const { documents, leases } = server.store
  try {
    if (ifMatch === undefined) {
      const version = await documents.write(path, body, {})
      server.changes.tell({ type: 'document', path })
      return json({ version }, 201, { etag: `"${version}"` })
    }
    await requireDocument(server.store, params.path!)
    await server.runs.afterEnding(path)
    const lease = await leases.take(path)
    try {
      const after = ifMatch === '*' ? (await documents.read(path)).version : ifMatch
      const version = await documents.write(path, body, { after, lease })
      server.changes.tell({ type: 'document', path })
      return json({ version }, 200, { etag: `"${version}"` })
    } finally {
      await lease.release()
    }
  } catch (error) {
    throw writeProblem(error, ifMatch === undefined)
  }
}

/** The options that a run on this server would have, for inspecting a document. */
function inspectOptions({ store, run }: ServerContext): RunOptions {
  return store.root === undefined ? { ...run, store } : { ...run, cwd: store.root }
}

function toTrashEntry({ path, id, at }: TrashedDocument): TrashEntry {
  return { path, id, removedAt: new Date(at).toISOString() }
}

function writeProblem(error: unknown, isNew: boolean): unknown {
  if (!(error instanceof ArgotError)) return error
  if (error.code === 'RUN_FILE_CHANGED') {
    const message = isNew
      ? 'The document already exists. Send its ETag as `If-Match`.'
      : 'The document has changed since.'
    return new Problem(412, error.code, message)
  }
  return error.code === 'RUN_LOCKED' ? new Problem(409, 'SERVER_BUSY', error.message) : error
}

export const documentRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/documents',
    id: 'listDocuments',
    summary: "The folder's documents.",
    query: {
      limit: {
        description:
          'At most this many of the newest documents, and those whose run has not ended. Without it, all documents, by path.',
        schema: { type: 'integer', minimum: 1, maximum: 10_000 },
      },
      after: {
        description: "With `limit`: the previous page's `x-argot-next`.",
        schema: { type: 'string', maxLength: 2000 },
      },
    },
    answers: {
      200: {
        description:
          'The documents. `x-argot-total` is how many there are, `x-argot-next` names the next page if there is one.',
        schema: list(schemas.documentEntrySchema),
        headers: { 'x-argot-folder': "The folder's name, percent-encoded." },
      },
    },
    async handle({ query, server }) {
      const folder = { 'x-argot-folder': encodeURIComponent(basename(server.store.root ?? '').toWellFormed()) }
      if (query.limit === undefined) return json(await server.documents.list(), 200, folder)
      const { entries, total, next } = await server.documents.page({ limit: Number(query.limit), after: query.after })
      return json(entries, 200, { ...folder, 'x-argot-total': String(total), ...defined({ 'x-argot-next': next }) })
    },
  },
  {
    method: 'GET',
    path: '/api/documents/{path}/messages',
    id: 'listMessages',
    summary: "A page of a document's messages, oldest first; the newest page by default.",
    query: {
      before: { description: "A message's id: returns the messages before it.", schema: { type: 'string' } },
      limit: {
        description: 'The maximum number of messages; 50 by default.',
        schema: { type: 'integer', minimum: 1, maximum: 500 },
      },
      format: {
        description: "`ui`: in the AI SDK's format, without the message that a run is writing.",
        schema: { type: 'string', enum: ['argot', 'ui'] },
      },
      live: {
        description: '`1`: leaves out the messages of a run that has not ended, even if it waits; its stream has them.',
        schema: { type: 'string' },
      },
    },
    answers: {
      200: {
        description: 'The messages, and the `before` of the previous page.',
        schema: schemas.messagePageSchema,
      },
      404: noDocument,
      422: unreadable,
    },
    async handle({ params, query, server, client }) {
      const path = await requireDocument(server.store, params.path!)
      await server.runs.afterEnding(path)
      const current = await server.runs.current(path)
      const isLive = query.live !== undefined
      const isWriting = current !== undefined && (isLive || (await server.runs.isWriting(current.id)))
      const summary = isWriting ? await server.runs.summary(current.id) : undefined
      const { messageId, messageStarts = [], joined = [] } = summary ?? {}
      const own = isLive ? [...messageStarts, ...joined].map(([id]) => id) : [messageId ?? '']
      const page = await server.documents.messages(path, {
        limit: Number(query.limit ?? 50),
        resultBytes: server.limits.resultBytes,
        before: query.before,
        without: new Set(own),
      })
      const run = defined({ run: current?.id })
      if (query.format !== 'ui') return json({ ...page, ...run })
      const history =
        current === undefined ? undefined : { run: current.id, offset: isWriting ? 0 : current.offset, messageId }
      if (query.before === undefined) server.histories.set(client, path, history)
      return json({ ...page, messages: page.messages.map(toUIMessage), ...run })
    },
  },
  {
    method: 'GET',
    path: '/api/documents/{path}/check',
    id: 'checkDocument',
    summary: 'Checks a document.',
    answers: {
      200: { description: 'The diagnostics.', schema: checkSchema },
      404: noDocument,
      422: unreadable,
    },
    async handle({ params, server }) {
      const path = await requireDocument(server.store, params.path!)
      const { text } = await server.store.documents.read(path)
      const { diagnostics } = await checkDocument({ file: path, text }, inspectOptions(server))
      return json({ diagnostics })
    },
  },
  {
    method: 'POST',
    path: '/api/documents/{path}/check',
    id: 'checkDraft',
    summary: 'Checks a new or existing document as if it had this text. Writes nothing.',
    body: 'text',
    answers: {
      200: { description: 'The diagnostics.', schema: checkSchema },
    },
    async handle({ params, body, server }) {
      const path = documentPath(server.store.root, params.path!)
      const { diagnostics } = await checkDocument({ file: path, text: body }, inspectOptions(server))
      return json({ diagnostics })
    },
  },
  {
    method: 'GET',
    path: '/api/documents/{path}/preview',
    id: 'previewDocument',
    summary: 'What the model would see if you ran the document now, piece by piece. Starts nothing.',
    query: {
      model: { description: 'Previews a run with this model.', schema: schemas.modelNameSchema },
      syntax: { description: 'Previews a run with this syntax.', schema: schemas.syntaxNameSchema },
    },
    answers: {
      200: {
        description: 'The model, the syntax, the tools and the messages.',
        schema: schemas.previewSchema,
      },
      404: noDocument,
      422: unreadable,
    },
    async handle({ params, query, server }) {
      const path = await requireDocument(server.store, params.path!)
      // The size limit for documents applies here, too.
      await server.store.documents.read(path)
      const overrides = defined({ model: requestedModel(query.model), syntax: query.syntax })
      const {
        sources: _,
        request: __,
        start = [],
        ...preview
      } = await previewDocument(path, { ...inspectOptions(server), ...overrides })
      return json({ ...preview, notices: [...preview.notices, ...start] })
    },
  },
  {
    method: 'POST',
    path: '/api/documents/{path}/branch',
    id: 'branchDocument',
    summary: 'Creates a document with the history up to a message, for a retry or an edited message.',
    bodyBytes: 16 * 1024,
    body: object<Api['branchDocument']['body']>({
      at: textWith({ minLength: 1, maxLength: 1000 }),
      including: optional(flag),
    }),
    answers: {
      201: {
        description: "The new document's path.",
        schema: pathSchema,
      },
      404: noDocument,
      422: unreadable,
    },
    async handle({ params, body, server }) {
      const { store, documents } = server
      const path = realDocument(store.root, await requireDocument(store, params.path!))
      const { at, including = false } = body
      const branch = await branchDocument(path, at, { including, store })
      documents.forget(branch)
      server.changes.tell({ type: 'document', path: branch })
      return json({ path: branch }, 201)
    },
  },
  {
    method: 'GET',
    path: '/api/documents/{path}',
    id: 'readDocument',
    summary: "A document's text.",
    answers: {
      200: { description: 'The text.', type: 'text/plain', headers: version },
      404: noDocument,
      422: unreadable,
    },
    async handle({ params, server }) {
      const path = await requireDocument(server.store, params.path!)
      const { text, version } = await server.store.documents.read(path)
      const headers = { 'content-type': 'text/plain; charset=utf-8', etag: `"${version}"`, 'cache-control': 'no-store' }
      return new Response(text, { headers })
    },
  },
  {
    method: 'PUT',
    path: '/api/documents/{path}',
    id: 'writeDocument',
    summary: "Replaces a document's text, or creates a document.",
    headers: {
      'if-match': { description: 'The version to replace, or `*` for any. Without it, the document must be new.' },
    },
    body: 'text',
    answers: {
      200: {
        description: 'The text was replaced.',
        schema: versionSchema,
        headers: version,
      },
      201: { description: 'The document was created.', schema: versionSchema, headers: version },
      404: noDocument,
      409: { description: 'A run is using the document.', schema: schemas.problemSchema },
      412: { description: 'The document has changed, or already exists.', schema: schemas.problemSchema },
      422: unreadable,
    },
    handle: write,
  },
  {
    method: 'DELETE',
    path: '/api/documents/{path}',
    id: 'removeDocument',
    summary: 'Moves a document to the trash, or erases it permanently.',
    query: {
      forever: {
        description:
          'Erases the document with its logs, posts and payloads, except those that another document refers to. Also erases a document that is only in the trash.',
        schema: { type: 'string' },
      },
    },
    answers: {
      200: { description: 'The document is in the trash.', schema: schemas.trashedSchema },
      204: { description: 'The document was erased.' },
      404: noDocument,
      409: {
        description: 'The document has a running or queued run. Stop that run first.',
        schema: schemas.problemSchema,
      },
    },
    async handle({ params, query, server }) {
      const { root } = server.store
      const path = documentPath(root, params.path!)
      const exists = root === undefined ? await isStored(server.store.documents, path) : isDocument(join(root, path))
      if (query.forever !== undefined) {
        await server.removal.erase(exists ? realDocument(root, path) : path, exists)
        return new Response(null, { status: 204 })
      }
      const trashedDocument = await server.removal.remove(realDocument(root, await requireDocument(server.store, path)))
      return json(toTrashEntry(trashedDocument))
    },
  },
  {
    method: 'POST',
    path: '/api/documents/{path}/restore',
    id: 'restoreDocument',
    summary: 'Restores a document from the trash, with its runs.',
    query: {
      id: { description: 'Which document; the newest one with this path by default.', schema: { type: 'string' } },
    },
    answers: {
      200: { description: 'The document was restored.', schema: pathSchema },
      404: { description: 'The trash has no such document.', schema: schemas.problemSchema },
      409: { description: 'Another document has this path.', schema: schemas.problemSchema },
    },
    async handle({ params, query, server }) {
      const path = documentPath(server.store.root, params.path!)
      await server.removal.restore(path, query.id)
      return json({ path })
    },
  },
  {
    method: 'GET',
    path: '/api/trash',
    id: 'listTrash',
    summary: 'The documents in the trash.',
    answers: {
      200: { description: 'Oldest first.', schema: list(schemas.trashedSchema) },
    },
    async handle({ server }) {
      return json((await server.store.trash.list()).map(toTrashEntry))
    },
  },
]
