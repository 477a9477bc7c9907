import type { DocumentOptions } from './document-options.ts'

/** The documents that are running, outermost first, this one last. Runs of other processes have no names here, but count. */
export function runningDocuments(file: string | undefined, options: DocumentOptions): readonly string[] {
  const { depth = 0, agents } = options
  return agents ?? [...Array<string>(depth).fill('another run'), file ?? 'the document']
}
