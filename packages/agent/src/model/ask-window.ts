import { defined, isRecord } from '@argot/core/stream/internal'

/** A server on this machine answers immediately or isn't there. */
const PATIENCE_MS = 1500
const LONGEST_REPLY = 1024 * 1024

interface WindowRequest {
  key?: string | undefined
  fetch?: typeof fetch | undefined
}

/** Asks a server's model list for a model's window in tokens. Undefined if the list has none. Never rejects. */
export async function askListedWindow(
  baseUrl: string,
  id: string,
  request: WindowRequest,
): Promise<number | undefined> {
  const answer = await ask(`${baseUrl}/models`, request)
  const models = isRecord(answer) && Array.isArray(answer.data) ? answer.data.filter(isRecord) : []
  const model = models.find(one => one.id === id)
  if (model === undefined) return undefined
  const { n_ctx } = isRecord(model.meta) ? model.meta : {}
  return [model.max_model_len, model.context_length, model.context_window, n_ctx].find(isTokenCount)
}

/**
 * Asks Ollama how many tokens it gives a model: the running model's figure, else that of its parameters. Ollama
 * silently drops the start of a longer prompt, so there is no other way to notice. Never rejects.
 */
export async function askOllamaWindow(
  baseUrl: string,
  id: string,
  request: WindowRequest,
): Promise<number | undefined> {
  const root = baseUrl.replace(/\/v1$/, '')
  const running = await ask(`${root}/api/ps`, request)
  const models = isRecord(running) && Array.isArray(running.models) ? running.models.filter(isRecord) : []
  const model = models.find(({ name }) => name === id || name === `${id}:latest`)
  if (isTokenCount(model?.context_length)) return model.context_length
  const details = await ask(`${root}/api/show`, request, { model: id })
  const parameters = isRecord(details) && typeof details.parameters === 'string' ? details.parameters : ''
  const tokens = Number(/^num_ctx\s+(\d{1,9})\s*$/m.exec(parameters)?.[1])
  return isTokenCount(tokens) ? tokens : undefined
}

async function ask(address: string, { key, fetch: send = fetch }: WindowRequest, body?: object): Promise<unknown> {
  try {
    const headers = { ...(key ? { authorization: `Bearer ${key}` } : {}) }
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const post = body && { method: 'POST', body: JSON.stringify(body) }
    const reply = await send(address, { headers, signal, redirect: 'error', ...defined(post ?? {}) })
    if (!reply.ok) return undefined
    return JSON.parse((await reply.text()).slice(0, LONGEST_REPLY)) as unknown
  } catch {
    return undefined
  }
}

function isTokenCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 512
}
