import type { JsonSchema } from '@argot/core'
import { toToolFailure } from '../../files/to-tool-failure.ts'
import type { ResolverOptions } from '../../resolver/resolver-options.ts'
import { AddressPolicy } from '../../web/address-policy.ts'
import { fetchPage } from '../../web/fetch-page.ts'
import { defaultLimits } from '../../web/limits.ts'
import { parseWebAddress } from '../../web/web-address.ts'
import { quoted } from '../../words/quoted.ts'
import { defineTool } from '../define-tool.ts'
import { cutOutput } from '../output/cut-output.ts'
import type { Tool } from '../tool.ts'

/** Pages have more around their text than documents. */
const PAGE_BYTES = 4 * 1024 * 1024

export interface WebOptions extends Pick<ResolverOptions, 'allowPrivateAddresses' | 'limits' | 'lookup' | 'userAgent'> {
  /** Called for each redirect. Returns why it is not followed; undefined if it is. */
  objectTo?: ((from: URL, to: URL) => Promise<string | undefined>) | undefined
}

const description =
  'Fetches a page of the web and returns its text as Markdown, without scripts, styles and frames; other text, such as JSON or plain text, is returned as it is. Redirects are followed. Private addresses, pages that need a login, images, PDF files and other binary files are refused. Long pages are cut after 384 KiB.'

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    url: {
      type: 'string',
      minLength: 1,
      maxLength: 8192,
      description: 'The full address of the page, with http:// or https://.',
      examples: ['https://example.com/'],
    },
  },
  required: ['url'],
  additionalProperties: false,
}

export function createWebpageToMarkdown(options: WebOptions = {}): Tool {
  const { allowPrivateAddresses = false, lookup, userAgent = 'argot', objectTo } = options
  const policy = new AddressPolicy(allowPrivateAddresses)
  const limits = { ...defaultLimits, textBytes: PAGE_BYTES, ...options.limits }
  return defineTool<{ url: string }>({
    name: 'webpage_to_markdown',
    title: 'Read web page',
    description,
    inputSchema,
    effect: 'net',
    subject: ({ url }) => ({ kind: 'host', hosts: getHosts(url) }),
    async execute({ url }, { signal }) {
      try {
        const address = parseWebAddress(url.trim())
        const page = await fetchPage(address, { policy, limits, lookup, userAgent, signal, objectTo }, url)
        const { html, xhtml } = page.type
        const { htmlToMarkdown } = await import('../../web/html-to-markdown.ts')
        const text = html ? htmlToMarkdown(page.text, { xhtml, base: page.url.href }) : page.text
        const moved = page.url.href === address.href ? '' : `[The page is at ${quoted(page.url.href)}.]\n\n`
        return moved + (text.trim() === '' ? '[The page has no text.]' : cutOutput(text))
      } catch (error) {
        throw toToolFailure(error)
      }
    },
  })
}

/** The host of an address, as the network knows it; none if it isn't an address, which the tool refuses. */
function getHosts(url: string): string[] {
  return URL.canParse(url.trim()) ? [new URL(url.trim()).hostname.replace(/\.$/, '')] : []
}
