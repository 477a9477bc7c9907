import { lstat } from 'node:fs/promises'
import { readBytes } from '../../files/local-file.ts'
import { hashContent } from '../../store/file-records.ts'
import { VERSION_BYTES } from '../../store/store.ts'
import { getCode } from '../../words/get-code.ts'

export interface FileState {
  /** SHA-256 in hex; null if there is no file, undefined for one that is too large or not a file. */
  hash: string | null | undefined
  content?: Uint8Array
  mode?: number
}

/** Reads a file at a real path. Never rejects: an unreadable file has no hash. */
export async function readFileState(real: string): Promise<FileState> {
  try {
    const { mode, size } = await lstat(real)
    const permissions = mode & 0o7777
    if (size > VERSION_BYTES) return { hash: undefined, mode: permissions }
    const content = await readBytes(real, real, VERSION_BYTES)
    return { hash: hashContent(content), content, mode: permissions }
  } catch (error) {
    return { hash: getCode(error) === 'ENOENT' || getCode(error) === 'ENOTDIR' ? null : undefined }
  }
}
