import { constants } from 'node:buffer'
import { dirname, parse, resolve } from 'node:path'
import type { ResolveRequest, ResolveResult, Resolver } from '@argot/core/chatmd'
import { decodeUtf8 } from '../files/decode-text.ts'
import { guessImageType, imageType } from '../files/image-type.ts'
import { type LocateOptions, listCandidates, locate, readBytes, toRealPath } from '../files/local-file.ts'
import { readSmallFile } from '../files/read-small-file.ts'
import { RealPaths } from '../files/real-paths.ts'
import { SourceError } from '../files/source-error.ts'
import { AddressPolicy } from '../web/address-policy.ts'
import { fetchPage } from '../web/fetch-page.ts'
import { type HtmlType, sniffHtml } from '../web/html-type.ts'
import { defaultLimits, type ResolverLimits } from '../web/limits.ts'
import { checkHost, parseWebAddress } from '../web/web-address.ts'
import { quoted } from '../words/quoted.ts'
import type { ResolverOptions } from './resolver-options.ts'

/** The longest string in Node. Payloads have no other limit. */
const STRING_BYTES: number = constants.MAX_STRING_LENGTH

/**
 * Reads the files and addresses that a document refers to. Files are confined to the folders of the document, the
 * process and `allowPaths`; addresses must be public. Returns a problem if anything is wrong with a source, and rejects
 * only when the request's signal is aborted.
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
    const referrer = request.from ?? request.document
    const page = referrer !== undefined && isAddress(referrer) ? referrer : undefined
    if (page !== undefined && kind === 'import') return this.#fetchText(parseWebAddress(src, page), request)
    if (page !== undefined && local) {
      const message = `${quoted(src)} is a file on this machine, but the document that names it came from ${quoted(page)}.`
      throw new SourceError('CHATMD_PATH_OUTSIDE', message, 'Save the document next to the file, or remove `local`.')
    }
    if (local) return kind === 'img' ? this.#localImage(request) : this.#localText(request)
    const url = parseWebAddress(src, page)
    if (kind !== 'img') return this.#fetchText(url, request)
    checkHost(url, this.#policy)
    return { ok: true, url: url.href, mediaType: guessImageType(url), file: url.href }
  }

  async #localText(request: ResolveRequest): Promise<ResolveResult> {
    const { kind, src, html, signal } = request
    const isExact = kind === 'payload' || kind === 'meta'
    if (isExact) {
      const smallText = this.#readSmallText(request)
      if (smallText !== undefined) return smallText
    }
    const path = await locate(src, await this.#locateOptions(request))
    const bytes = await readBytes(path, src, isExact ? STRING_BYTES : this.#limits.textBytes, signal)
    const text = decodeUtf8(bytes, {
      name: src,
      keepBom: isExact || kind === 'agent',
      allowNul: isExact || kind === 'agent',
    })
    const rendered = kind === 'doc' ? await render(text, sniffHtml(text, path), html) : text
    return { ok: true, text: rendered, file: await this.#nameFile(path, request.document) }
  }

  /** Synchronous: a transcript has thousands of small files. Undefined for all other files. */
  #readSmallText({ src, from, document }: ResolveRequest): ResolveResult | undefined {
    const ownFolder = this.#getFolder(from ?? document)
    const [path] = listCandidates(src, [ownFolder])
    const file = readSmallFile(path!, this.#realPaths.resolve(ownFolder))
    if (file === undefined) return undefined
    const text = decodeUtf8(file.bytes, { name: src, keepBom: true, allowNul: true })
    const isDocument = document !== undefined && this.#realPaths.resolve(resolve(this.#cwd, document)) === file.path
    return { ok: true, text, file: isDocument ? document : file.path }
  }

  async #localImage(request: ResolveRequest): Promise<ResolveResult> {
    const { src, signal } = request
    const path = await locate(src, await this.#locateOptions(request))
    const bytes = await readBytes(path, src, this.#limits.imageBytes, signal)
    const mediaType = imageType(bytes, src)
    return { ok: true, url: `data:${mediaType};base64,${bytes.toString('base64')}`, mediaType, file: path }
  }

  async #fetchText(url: URL, { kind, src, html, signal }: ResolveRequest): Promise<ResolveResult> {
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

  async #locateOptions({ kind, from, document }: ResolveRequest): Promise<LocateOptions> {
    const { directory, allowPaths = [] } = this.#options
    const fallback = this.#getFolder(undefined)
    const ownFolder = this.#getFolder(
      kind === 'doc' || kind === 'img' || kind === 'agent' ? document : (from ?? document),
    )
    if (kind === 'payload' || kind === 'meta') return { bases: [ownFolder], roots: [await toRealPath(ownFolder)] }
    const cwd = parse(this.#cwd).root === this.#cwd ? [] : [this.#cwd]
    const allowed = allowPaths.map(path => resolve(this.#cwd, path))
    const folders = new Set([
      this.#getFolder(document),
      ...(directory === undefined ? [] : [fallback]),
      ...cwd,
      ...allowed,
    ])
    return {
      bases: kind === 'import' ? [ownFolder] : [ownFolder, this.#cwd],
      roots: await Promise.all([...folders].map(toRealPath)),
    }
  }

  /** The folder of a file; without a file, the configured `directory`. */
  #getFolder(file: string | undefined): string {
    return file === undefined ? resolve(this.#cwd, this.#options.directory ?? '.') : dirname(resolve(this.#cwd, file))
  }

  /** The document keeps the name that the caller gave it, so that cycles are noticed. */
  async #nameFile(path: string, document: string | undefined): Promise<string> {
    if (document === undefined) return path
    return (await toRealPath(resolve(this.#cwd, document))) === path ? document : path
  }
}

function isAddress(file: string): boolean {
  return /^https?:\/\//i.test(file)
}

/** HTML parsers are loaded with the first HTML text. */
async function render(
  text: string,
  { html, xhtml }: HtmlType,
  format: ResolveRequest['html'],
  base?: string,
): Promise<string> {
  if (!html || format === 'keep') return text
  if (format === 'strip') return (await import('../web/html-to-text.ts')).htmlToText(text, { xhtml })
  const { htmlToMarkdown } = await import('../web/html-to-markdown.ts')
  return htmlToMarkdown(text, base === undefined ? { xhtml } : { xhtml, base })
}
