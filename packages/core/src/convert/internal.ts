/** Only for packages in this repository. These names change without notice. */
export type { Conversion } from './convert.ts'
export { type TranscriptFormat, transcriptFormats } from './format.ts'
export { fileLink } from './html/file-link.ts'
export { writeHtmlFile } from './html/html-file.ts'
export { findLosses, type Loss } from './losses.ts'
