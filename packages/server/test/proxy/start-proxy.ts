import { listen } from '@argot/server'
import { createProxy } from '@argot/server/proxy'
import { type Answer, type FakeUpstream, startUpstream } from './fake-upstream.ts'

export interface StartedProxy {
  proxy: ReturnType<typeof createProxy>
  upstream: FakeUpstream
  /** `http://127.0.0.1:4177` */
  url: string
  lines: string[]
  close(): Promise<void>
}

/** A proxy that listens, in front of a fake server of models. */
export async function startProxy(
  answers: readonly Answer[],
  options: Partial<Parameters<typeof createProxy>[0]> = {},
): Promise<StartedProxy> {
  const upstream = await startUpstream(...answers)
  const lines: string[] = []
  const proxy = createProxy({ upstream: upstream.url, log: line => lines.push(line), ...options })
  const listening = await listen(proxy, { port: 0 })
  return {
    proxy,
    upstream,
    url: `http://127.0.0.1:${listening.port}`,
    lines,
    async close() {
      await listening.close()
      proxy.close()
      await upstream.close()
    },
  }
}

export const weather = {
  type: 'function' as const,
  function: {
    name: 'weather',
    description: 'Gives the weather.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city'],
    },
  },
}
