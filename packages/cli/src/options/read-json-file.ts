import { readFile } from 'node:fs/promises'
import { realFile } from '@argot/agent/internal'
import { UsageError } from '../io/io.ts'

/** Reads a user's JSON file. Throws a `UsageError` if it isn't valid. */
export async function readJsonFile(path: string): Promise<unknown> {
  const text = await readFile(await realFile(path), 'utf8')
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${path} is not JSON: ${(error as Error).message}`)
  }
}
