import { dirname, relative, resolve, sep } from 'node:path'
import type { ResolveRequest, ResolveResult, Resolver } from '@argot/core/chatmd'
import { imageType } from '../../files/image-type.ts'
import type { Store } from '../../store/store.ts'

/**
 * Resolves references from a store whose documents aren't files: other documents, what Argot wrote beside them, and
 * attachments. `disk` reads anything else. A document's file is its path below `cwd`.
 */
export function createStoreResolver(store: Store, cwd: string, disk: Resolver): Resolver {
  return {
    async resolve(request) {
      const here = request.from ?? request.document
      if (!request.local || here === undefined || /^https?:/i.test(here)) return disk.resolve(request)
      return (await readStored(store, cwd, here, request)) ?? disk.resolve(request)
    },
  }
}

/** Undefined if the store doesn't have it. */
async function readStored(
  store: Store,
  cwd: string,
  here: string,
  { kind, src, document }: ResolveRequest,
): Promise<ResolveResult | undefined> {
  const own = toStorePath(cwd, here)
  if (own === undefined) return undefined
  if (kind === 'payload' || kind === 'meta') return readPayload(store, own, src)
  const beside = kind === 'import' ? here : (document ?? here)
  if (kind === 'img') return readImage(store, toStorePath(cwd, beside) ?? own, src)
  const path = toStorePath(cwd, resolve(cwd, dirname(resolve(cwd, beside)), src))
  if (path === undefined) return undefined
  try {
    const { text } = await store.documents.read(path)
    return { ok: true, text, file: resolve(cwd, path) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException | null)?.code === 'ENOENT') return undefined
    throw error
  }
}

async function readPayload(store: Store, path: string, src: string): Promise<ResolveResult | undefined> {
  const [, name] = /^\.\/\.chatmd\/([\w-][\w.-]*)$/.exec(src) ?? []
  const bytes = name === undefined ? undefined : await store.files(path).read('payloads', name)
  return bytes === undefined ? undefined : { ok: true, text: Buffer.from(bytes).toString(), file: src }
}

async function readImage(store: Store, path: string, src: string): Promise<ResolveResult | undefined> {
  const [, name] = /(?:^|\/)\.chatmd\/attachments\/[^/]+\/([^/\\]+)$/.exec(src) ?? []
  const bytes = name === undefined ? undefined : await store.files(path).read('attachments', name)
  if (bytes === undefined) return undefined
  const buffer = Buffer.from(bytes)
  const mediaType = imageType(buffer, src)
  return { ok: true, url: `data:${mediaType};base64,${buffer.toString('base64')}`, mediaType, file: src }
}

/** The path in the store of a file below `cwd`. Undefined for a file elsewhere. */
function toStorePath(cwd: string, file: string): string | undefined {
  const path = relative(resolve(cwd), resolve(cwd, file))
  return path === '' || path === '..' || path.startsWith(`..${sep}`) ? undefined : path.split(sep).join('/')
}
