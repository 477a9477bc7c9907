export interface HtmlType {
  html: boolean
  xhtml: boolean
}

/** White space, comments and an XML declaration may precede the first tag. */
const START = /^\ufeff?(?:\s|<!--(?:(?!-->).)*-->|<\?xml[^>]*>)*/s
/** First tags that only HTML has. */
const SURE = /^<(?:!doctype\s+html|html|head|body)(?=[\s>/])/i
/** First tags that Markdown may have too. */
const LIKELY = /^<(?:h[1-6]|div|p|a|b|br|table|style|script|title|iframe|font|meta|link|ul|ol)(?=[\s>/])/i

/** Whether a file is HTML: by how it begins, and if in doubt by its name. */
export function sniffHtml(text: string, path: string): HtmlType {
  const extension = /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase()
  const start = text.slice(0, 4096).replace(START, '')
  const html =
    SURE.test(start) ||
    (/^(?:x?html?|shtml)$/.test(extension ?? '') && /<[a-z!/]/i.test(text)) ||
    (extension === undefined && LIKELY.test(start))
  return { html, xhtml: html && (extension === 'xhtml' || /^\ufeff?\s*<\?xml/.test(text)) }
}

/** Whether a response is HTML: by its type, or by how it begins if the type is missing or just says text. */
export function sniffReply(type: string, text: string): HtmlType {
  const html =
    type === 'text/html' ||
    (/^(?:|text\/plain|application\/octet-stream)$/.test(type) && SURE.test(text.slice(0, 4096).replace(START, '')))
  return { html: html || type === 'application/xhtml+xml', xhtml: type === 'application/xhtml+xml' }
}
