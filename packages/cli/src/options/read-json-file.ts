import { readFile } from 'node:fs/promises'
import { realFile } from '@argot/agent/internal'
import { UsageError } from '../io/io.ts'

/** What a JSON file of the user holds. Throws a `UsageError` for one that is none. */
export async function readJsonFile(path: string): Promise<unknown> {
  const text = await readFile(await realFile(path), 'utf8')
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${path} is not JSON: ${(error as Error).message}`)
  }
}
