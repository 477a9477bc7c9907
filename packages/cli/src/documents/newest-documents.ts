import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { folderStore } from '@argot/agent'

/** A document of a folder, and when it last changed, in milliseconds. */
export interface DocumentTime {
  /** Relative to the folder, with `/`. */
  path: string
  at: number
}

/** The documents of a folder and its subfolders, those that changed last first. */
export async function newestDocuments(folder: string): Promise<DocumentTime[]> {
  const paths = await folderStore(folder).documents.list()
  const times = await Promise.all(
    paths.map(async path => {
      const stats = await stat(join(folder, path)).catch(() => undefined)
      return stats === undefined ? [] : [{ path, at: stats.mtimeMs }]
    }),
  )
  return times.flat().sort((a, b) => b.at - a.at || (a.path < b.path ? 1 : -1))
}
