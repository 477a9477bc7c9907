export { readDocumentText } from './document-file.ts'
export { createResolver, type ResolverOptions } from './resolver/create-resolver.ts'
export type { Lookup, LookupAnswer } from './resolver/fetch-source.ts'
export type { ResolverLimits } from './resolver/limits.ts'
export { type BranchOptions, branchDocument } from './transcript/branch-document.ts'
export { openTranscript } from './transcript/open-transcript.ts'
export {
  callMark,
  type Recovered,
  type Refused,
  stepMark,
  type Transcript,
  type TranscriptOptions,
} from './transcript/transcript.ts'
