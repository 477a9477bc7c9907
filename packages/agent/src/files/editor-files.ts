/** Files with an editor's unsaved changes. A workspace passes only checked, real and absolute paths. */
export interface EditorFiles {
  /** Undefined if the editor doesn't know the file. */
  read?: ((path: string, signal?: AbortSignal) => Promise<string | undefined>) | undefined
  /** Creates a file or replaces all of its text. */
  write?: ((path: string, text: string) => Promise<void>) | undefined
}

export interface ReadableFile {
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }>
  close(): Promise<void>
}

export function textFile(text: string): ReadableFile {
  const bytes = Buffer.from(text)
  return {
    async read(buffer, offset, length, position) {
      return { bytesRead: bytes.copy(buffer, offset, position, Math.min(bytes.length, position + length)) }
    },
    async close() {},
  }
}
