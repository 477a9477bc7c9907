import { readFile } from 'node:fs/promises'
import { dirname, relative, sep } from 'node:path'
import { findConfigFolder } from '@argot/agent/internal'
import { addressFile, serverStateFolder } from '../documents/folder-paths.ts'

/** The page's address for a document, if a server is running on its folder or a parent folder. */
export async function findPageAddress(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const configFolder = findConfigFolder({ env })
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const url = await readAddress(addressFile(serverStateFolder(configFolder, folder)))
    if (url !== undefined) {
      const path = relative(folder, file).split(sep).map(encodeURIComponent).join('/')
      return `${url}#/${path}`
    }
    if (folder === dirname(folder)) return undefined
  }
}

/** The address of a running server. A crash may have left a stale one. */
async function readAddress(file: string): Promise<string | undefined> {
  try {
    const { url, pid } = JSON.parse(await readFile(file, 'utf8')) as { url: unknown; pid: unknown }
    if (typeof url !== 'string' || !/^https?:\/\/[^\s#]+$/.test(url) || typeof pid !== 'number') return undefined
    process.kill(pid, 0)
    return url
  } catch {
    return undefined
  }
}
