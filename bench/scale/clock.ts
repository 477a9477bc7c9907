import { setTimeout as pause } from 'node:timers/promises'

/** What a run says in all measurements: the time, chunk by chunk, with a pause of `PACE` ms before each. */
export async function* sayTimes(): AsyncGenerator<string> {
  const { CHUNKS = '100', PACE = '0' } = process.env
  for (let count = 0; count < Number(CHUNKS); count++) {
    if (PACE !== '0') await pause(Number(PACE))
    yield `${Date.now()} `
  }
}
