import { constants } from 'node:buffer'
import { dirname, parse, resolve } from 'node:path'
import type { ResolveRequest, ResolveResult, Resolver } from '@argot/core/chatmd'
import { decodeUtf8 } from '../files/decode-text.ts'
import { imageType, imageTypeOfAddress } from '../files/image-type.ts'
import { type LocateOptions, listPlaces, locate, readBytes, realFolder } from '../files/local-file.ts'
import { readSmallFile } from '../files/read-small-file.ts'
import { RealPaths } from '../files/real-paths.ts'
import { SourceError } from '../files/source-error.ts'
import { AddressPolicy } from '../web/address.ts'
import { fetchPage } from '../web/fetch-page.ts'
import { type HtmlType, sniffHtml } from '../web/html-type.ts'
import { defaultLimits, type ResolverLimits } from '../web/limits.ts'
import { checkHost, parseWebAddress } from '../web/web-address.ts'
import { quoted } from '../words/quoted.ts'
import type { ResolverOptions } from './resolver-options.ts'

/** What a string of this machine can hold: the only limit of payloads. */
const STRING_BYTES: number = constants.MAX_STRING_LENGTH

/**
 * Reads what a document refers to from the disk and the web of this machine. Confined: files to the folders of the
 * document, the process and `allowPaths`, addresses to public ones. Gives a problem for anything that is wrong with a
 * source, and rejects only when the signal of the request is aborted.
 */
export function createResolver(options: ResolverOptions = {}): Resolver {
  return new NodeResolver(options)
}

class NodeResolver implements Resolver {
  readonly #cwd: string
  readonly #options: ResolverOptions
  readonly #policy: AddressPolicy
  readonly #limits: ResolverLimits
  readonly #realPaths: RealPaths = new RealPaths()

  constructor(options: ResolverOptions) {
    this.#options = options
    this.#cwd = resolve(options.cwd ?? process.cwd())
    this.#policy = new AddressPolicy(options.allowPrivateAddresses ?? false)
    this.#limits = { ...defaultLimits, ...options.limits }
  }

  async resolve(request: ResolveRequest): Promise<ResolveResult> {
    request.signal?.throwIfAborted()
    try {
      return await this.#read(request)
    } catch (error) {
      if (error instanceof SourceError) return { ok: false, problem: error.problem }
      throw error
    }
  }

  async #read(request: ResolveRequest): Promise<ResolveResult> {
    const { kind, src, local } = request
    const here = request.from ?? request.document
    const page = here !== undefined && isAddress(here) ? here : undefined
    if (page !== undefined && kind === 'import') return this.#page(parseWebAddress(src, page), request)
    if (page !== undefined && local) {
      const message = `${quoted(src)} is a file of this machine, and the document that names it came from ${quoted(page)}.`
      throw new SourceError('CHATMD_PATH_OUTSIDE', message, 'Save the document beside the file, or leave out `local`.')
    }
    if (local) return kind === 'img' ? this.#localImage(request) : this.#localText(request)
    const url = parseWebAddress(src, page)
    if (kind !== 'img') return this.#page(url, request)
    checkHost(url, this.#policy)
    return { ok: true, url: url.href, mediaType: imageTypeOfAddress(url), file: url.href }
  }

  async #localText(request: ResolveRequest): Promise<ResolveResult> {
    const { kind, src, html, signal } = request
    const written = kind === 'payload' || kind === 'meta'
    if (written) {
      const writtenText = this.#writtenText(request)
      if (writtenText !== undefined) return writtenText
    }
    const path = await locate(src, await this.#places(request))
    const bytes = await readBytes(path, src, written ? STRING_BYTES : this.#limits.textBytes, signal)
    const text = decodeUtf8(bytes, {
      name: src,
      keepBom: written || kind === 'agent',
      allowNul: written || kind === 'agent',
    })
    const rendered = kind === 'doc' ? await render(text, sniffHtml(text, path), html) : text
    return { ok: true, text: rendered, file: await this.#nameOf(path, request.document) }
  }

  /** A transcript has thousands of small files, which are read at once; undefined for any that has to be waited for. */
  #writtenText({ src, from, document }: ResolveRequest): ResolveResult | undefined {
    const own = this.#folderOf(from ?? document)
    const [path] = listPlaces(src, [own])
    const read = readSmallFile(path!, this.#realPaths.of(own))
    if (read === undefined) return undefined
    const text = decodeUtf8(read.bytes, { name: src, keepBom: true, allowNul: true })
    const isDocument = document !== undefined && this.#realPaths.of(resolve(this.#cwd, document)) === read.path
    return { ok: true, text, file: isDocument ? document : read.path }
  }

  async #localImage(request: ResolveRequest): Promise<ResolveResult> {
    const { src, signal } = request
    const path = await locate(src, await this.#places(request))
    const bytes = await readBytes(path, src, this.#limits.imageBytes, signal)
    const mediaType = imageType(bytes, src)
    return { ok: true, url: `data:${mediaType};base64,${bytes.toString('base64')}`, mediaType, file: path }
  }

  async #page(url: URL, { kind, src, html, signal }: ResolveRequest): Promise<ResolveResult> {
    const { lookup, userAgent = 'argot', offline } = this.#options
    if (offline === true) {
      checkHost(url, this.#policy)
      return { ok: true, text: '', file: url.href }
    }
    const options = { policy: this.#policy, limits: this.#limits, lookup, userAgent, signal }
    const page = await fetchPage(url, options, src)
    const rendered = kind === 'doc' ? await render(page.text, page.type, html, page.url.href) : page.text
    return { ok: true, text: rendered, file: page.url.href }
  }

  /** Where the file of a request is looked for, and where it may lie. */
  async #places({ kind, from, document }: ResolveRequest): Promise<LocateOptions> {
    const { directory, allowPaths = [] } = this.#options
    const fallback = this.#folderOf(undefined)
    const own = this.#folderOf(kind === 'doc' || kind === 'img' || kind === 'agent' ? document : (from ?? document))
    if (kind === 'payload' || kind === 'meta') return { bases: [own], roots: [await realFolder(own)] }
    const cwd = parse(this.#cwd).root === this.#cwd ? [] : [this.#cwd]
    const allowed = allowPaths.map(path => resolve(this.#cwd, path))
    const folders = new Set([
      this.#folderOf(document),
      ...(directory === undefined ? [] : [fallback]),
      ...cwd,
      ...allowed,
    ])
    return {
      bases: kind === 'import' ? [own] : [own, this.#cwd],
      roots: await Promise.all([...folders].map(realFolder)),
    }
  }

  /** The folder of a file; the one that was given where there is no file. */
  #folderOf(file: string | undefined): string {
    return file === undefined ? resolve(this.#cwd, this.#options.directory ?? '.') : dirname(resolve(this.#cwd, file))
  }

  /** The document itself goes by the name that the caller gave it, so that circles are seen; other files by their paths. */
  async #nameOf(path: string, document: string | undefined): Promise<string> {
    if (document === undefined) return path
    return (await realFolder(resolve(this.#cwd, document))) === path ? document : path
  }
}

function isAddress(file: string): boolean {
  return /^https?:\/\//i.test(file)
}

/** The readers of HTML are loaded by the first text that is HTML. */
async function render(
  text: string,
  { html, xhtml }: HtmlType,
  wanted: ResolveRequest['html'],
  base?: string,
): Promise<string> {
  if (!html || wanted === 'keep') return text
  if (wanted === 'strip') return (await import('../web/html-to-text.ts')).htmlToText(text, { xhtml })
  const { htmlToMarkdown } = await import('../web/html-to-markdown.ts')
  return htmlToMarkdown(text, base === undefined ? { xhtml } : { xhtml, base })
}
