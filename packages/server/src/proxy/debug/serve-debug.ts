import { Problem } from '../../guard/problem.ts'
import type { DebugLog } from './debug-log.ts'
import { pageHtml } from './page-html.ts'
import { pageScript } from './page-script.ts'
import { pageStyle } from './page-style.ts'

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export interface DebugData {
  log: DebugLog
  hasPlayground: boolean
}

/** The debug page. The page itself contains no data; its data needs the token. */
export function serveDebug(path: string, { method }: Request, data: DebugData, checkToken: () => void): Response {
  if (method !== 'GET' && method !== 'HEAD') {
    throw new Problem(405, 'SERVER_BAD_METHOD', 'Use GET here.', { headers: { allow: 'GET, HEAD' } })
  }
  switch (path) {
    case '/':
      return new Response(null, { status: 302, headers: { location: '/debug' } })
    case '/debug':
      return asset(pageHtml, 'text/html')
    case '/debug/page.js':
      return asset(pageScript, 'text/javascript')
    case '/debug/page.css':
      return asset(pageStyle, 'text/css')
    case '/debug/requests':
      checkToken()
      return Response.json(
        { requests: data.log.records, hasPlayground: data.hasPlayground },
        { headers: { 'cache-control': 'no-store' } },
      )
    default:
      throw new Problem(404, 'SERVER_NOT_FOUND', 'There is nothing at this address.')
  }
}

function asset(text: string, type: string): Response {
  const headers = {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'no-cache',
    'content-security-policy': policy,
  }
  return new Response(text, { headers })
}
