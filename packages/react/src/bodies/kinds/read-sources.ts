import { isRecord } from '@argot/core/stream/internal'

export interface Source {
  title: string
  url: string
  host: string
  snippet?: string
}

const MOST_SOURCES = 500
const LONGEST_URL = 4000
const LONGEST_SNIPPET = 600

const urlKeys = ['url', 'link', 'href', 'uri', 'html_url', 'source_url'] as const
const titleKeys = ['title', 'name', 'headline'] as const
const snippetKeys = [
  'snippet',
  'description',
  'summary',
  'excerpt',
  'content',
  'text',
  'cited_text',
  'page_content',
] as const
const listKeys = [
  ...['results', 'sources', 'citations', 'references', 'organic', 'organic_results', 'webPages', 'web', 'articles'],
  ...['documents', 'hits', 'items', 'data', 'value'],
] as const
/** A search result's fields. A record with other fields is more than a link. */
const sourceField =
  /^(?:title|name|headline|url|link|href|uri|source_url|snippet|description|summary|excerpt|content|raw_content|text|cited_text|page_content|highlights|extra_snippets|date|age|page_age|published\w*|publishedDate|score|relevance\w*|source|site\w*|host\w*|domain|display\w*|favicon|thumbnail|image|icon|id|index|position|rank|type|language|author|encrypted_\w+|providerMetadata)$/i

/** Search results and citations: titled web links. `isNamed`: the tool says that they are sources. */
export function readSources(value: unknown, toolName: string, isNamed: boolean): Source[] | undefined {
  const list = findList(value, 0)
  if (list === undefined || list.length === 0 || list.length > MOST_SOURCES) return undefined
  const isSearch = isNamed || /search|research|lookup|browse|cite|citation|source/i.test(toolName.slice(0, 128))
  const sources: Source[] = []
  for (const one of list) {
    const fields = isRecord(one) && isRecord(one.url_citation) ? one.url_citation : one
    if (!isRecord(fields)) return undefined
    if (!isSearch && !Object.keys(fields).every(key => sourceField.test(key))) return undefined
    const source = toSource(fields)
    if (source === undefined) return undefined
    sources.push(source)
  }
  return sources
}

function findList(value: unknown, depth: number): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value
  if (!isRecord(value) || depth > 1) return undefined
  for (const key of listKeys) {
    const list = Object.hasOwn(value, key) ? findList(value[key], depth + 1) : undefined
    if (list !== undefined) return list
  }
  return undefined
}

function toSource(fields: Record<string, unknown>): Source | undefined {
  const url = firstText(fields, urlKeys)
  const title = firstText(fields, titleKeys)
  const host = url === undefined ? undefined : webHost(url)
  if (url === undefined || title === undefined || host === undefined) return undefined
  const snippet = firstText(fields, snippetKeys)?.slice(0, LONGEST_SNIPPET).toWellFormed()
  return { title, url, host, ...(snippet === undefined ? {} : { snippet }) }
}

function firstText(fields: Record<string, unknown>, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = Object.hasOwn(fields, key) ? fields[key] : undefined
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
  }
  return undefined
}

/** The host of a web address; undefined for any other address, which must never become a link. */
export function webHost(url: string): string | undefined {
  if (url.length > LONGEST_URL || !/^https?:\/\//i.test(url)) return undefined
  try {
    return new URL(url).host.replace(/^www\./, '') || undefined
  } catch {
    return undefined
  }
}
