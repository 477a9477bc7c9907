/**
 * Files as an editor has them: with changes that are not saved yet. A workspace asks it only for paths that it has checked
 * itself, always real and absolute ones.
 */
export interface EditorFiles {
  /** The text of a file; undefined if the editor doesn't know. */
  read?: ((path: string, signal?: AbortSignal) => Promise<string | undefined>) | undefined
  /** Creates a file or replaces all of its text. */
  write?: ((path: string, text: string) => Promise<void>) | undefined
}

/** A file that is open for reading. */
export interface ReadableFile {
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }>
  close(): Promise<void>
}

/** A text as if it were an open file. */
export function textFile(text: string): ReadableFile {
  const bytes = Buffer.from(text)
  return {
    async read(buffer, offset, length, position) {
      return { bytesRead: bytes.copy(buffer, offset, position, Math.min(bytes.length, position + length)) }
    },
    async close() {},
  }
}
