import { beforeAll } from 'vitest'
import { cdp } from 'vitest/browser'

/** With `SLOW=6` the browser is as slow as on a machine with a sixth of the speed: what waits for a time, and not for a state, fails. */
const rate = Number((import.meta as { env?: { VITE_SLOW?: string } }).env?.VITE_SLOW)

beforeAll(async () => {
  const session = cdp() as unknown as { send: (method: string, parameters: object) => Promise<unknown> }
  await session.send('Emulation.setCPUThrottlingRate', { rate })
})
