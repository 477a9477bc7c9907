import { fileURLToPath } from 'node:url'
import { build } from 'vite'

/** Builds the page as users get it. */
export async function setup(): Promise<void> {
  await build({ root: fileURLToPath(new URL('..', import.meta.url)), logLevel: 'error' })
}
