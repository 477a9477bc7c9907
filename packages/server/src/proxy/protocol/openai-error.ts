import type { Problem } from '../../guard/problem.ts'

export function openAiError({ status, code, message, more }: Problem): { error: Record<string, unknown> } {
  const type =
    status === 401
      ? 'authentication_error'
      : status === 429
        ? 'rate_limit_error'
        : status < 500
          ? 'invalid_request_error'
          : 'server_error'
  const param = typeof more.param === 'string' ? more.param : null
  return { error: { message, type: more.type ?? type, param, code: more.code ?? code } }
}
