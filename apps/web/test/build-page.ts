import { fileURLToPath } from 'node:url'
import { build } from 'vite'

/** Builds the page as users get it: with the React of production. */
export async function setup(): Promise<void> {
  const before = process.env.NODE_ENV
  process.env.NODE_ENV = 'production'
  try {
    await build({ root: fileURLToPath(new URL('..', import.meta.url)), logLevel: 'error' })
  } finally {
    process.env.NODE_ENV = before
  }
}
