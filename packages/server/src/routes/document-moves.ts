import { posix } from 'node:path'
import { setDocumentTitle } from '@argot/agent/internal'
import { ArgotError } from '@argot/core'
import type { Api } from '../api/index.ts'
import { documentPath, realDocument, requireDocument } from '../guard/document-path.ts'
import { notFound, Problem } from '../guard/problem.ts'
import { json, type Route } from './route.ts'
import { object, openObject, optional, text, textWith } from './schema.ts'
import { documentEntrySchema, problemSchema } from './schemas.ts'
import type { ServerContext } from './server-context.ts'

const pathText = textWith({ minLength: 1, maxLength: 1024 })
const pathSchema = openObject<Api['renameDocument']['answer']>({ path: text })
const noDocument = { description: 'There is no such document.', schema: problemSchema }
const busy = { description: 'The document has a running or queued run. Stop that run first.', schema: problemSchema }
const pathTaken = { description: 'Another document has that path.', schema: problemSchema }

/** More copies of one document than any folder should have. */
const MOST_COPIES = 1000

async function rename(path: string, to: string, server: ServerContext): Promise<string> {
  const { store, removal } = server
  const from = realDocument(store.root, await requireDocument(store, path))
  const target = documentPath(store.root, to)
  try {
    await removal.rename(from, target)
  } catch (error) {
    if (error instanceof ArgotError && error.code === 'RUN_LOCKED') throw new Problem(409, 'SERVER_BUSY', error.message)
    throw error
  }
  return target
}

async function copy(path: string, to: string | undefined, server: ServerContext): Promise<string> {
  const { store, runs, changes } = server
  await requireDocument(store, path)
  await runs.afterEnding(path)
  const { text: source } = await store.documents.read(path)
  const make = async (target: string): Promise<string> => {
    const copy = await store.documents.branch(path, source, documentPath(store.root, target))
    changes.tell({ type: 'document', path: copy })
    return copy
  }
  if (to !== undefined) return make(to)
  for (let number = 1; number <= MOST_COPIES; number++) {
    try {
      return await make(copyName(path, number))
    } catch (error) {
      if (!(error instanceof ArgotError) || error.code !== 'RUN_OUTPUT_EXISTS') throw error
    }
  }
  throw new Problem(
    409,
    'RUN_OUTPUT_EXISTS',
    `\`${path.slice(0, 200)}\` already has ${MOST_COPIES} copies. Choose a name for the next one.`,
  )
}

/** `plan.chatmd`, `plan copy.chatmd`, `plan copy 2.chatmd`. */
function copyName(path: string, number: number): string {
  const name = posix.basename(path, '.chatmd').replace(/ copy(?: \d+)?$/, '')
  return posix.join(posix.dirname(path), `${name} copy${number === 1 ? '' : ` ${number}`}.chatmd`)
}

export const documentMoveRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/documents/{path}/rename',
    id: 'renameDocument',
    summary: 'Renames or moves a document, with its runs and files.',
    bodyBytes: 16 * 1024,
    body: object<Api['renameDocument']['body']>({ to: pathText }),
    answers: {
      200: { description: 'The new path.', schema: pathSchema },
      404: noDocument,
      409: { description: `${busy.description} Or another document has that path.`, schema: problemSchema },
    },
    handle: async ({ params, body, server }) => json({ path: await rename(params.path!, body.to, server) }),
  },
  {
    method: 'POST',
    path: '/api/documents/{path}/copy',
    id: 'copyDocument',
    summary: 'Copies a document, without its runs.',
    bodyBytes: 16 * 1024,
    body: object<Api['copyDocument']['body']>({ to: optional(pathText) }),
    answers: {
      201: { description: 'The path of the copy: `to`, or `NAME copy.chatmd` next to it.', schema: pathSchema },
      404: noDocument,
      409: pathTaken,
      422: { description: 'The document is not text.', schema: problemSchema },
    },
    handle: async ({ params, body, server }) => json({ path: await copy(params.path!, body.to, server) }, 201),
  },
  {
    method: 'PUT',
    path: '/api/documents/{path}/title',
    id: 'nameDocument',
    summary: "Sets a document's title; an empty one removes it. The text stays unchanged.",
    bodyBytes: 16 * 1024,
    body: object<Api['nameDocument']['body']>({ title: textWith({ maxLength: 1000 }) }),
    answers: {
      200: { description: 'The document, as in a list.', schema: documentEntrySchema },
      404: noDocument,
      409: busy,
    },
    async handle({ params, body, server }) {
      const { store, documents, runs, changes } = server
      const path = realDocument(store.root, await requireDocument(store, params.path!))
      await runs.afterEnding(path)
      await setDocumentTitle(store, path, body.title)
      documents.forget(path)
      changes.tell({ type: 'document', path })
      const entry = await documents.entry(path)
      if (entry === undefined) throw notFound(`document \`${path.slice(0, 200)}\``)
      return json(entry)
    },
  },
]
