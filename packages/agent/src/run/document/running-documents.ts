import type { DocumentOptions } from './document-options.ts'

/** The running documents, outermost first, this one last. Runs of other processes are included without names. */
export function runningDocuments(file: string | undefined, options: DocumentOptions): readonly string[] {
  const { depth = 0, agents } = options
  return agents ?? [...Array<string>(depth).fill('another run'), file ?? 'the document']
}
