export { readDocumentText } from './document-file.ts'
export { createResolver, type ResolverOptions } from './resolver/create-resolver.ts'
export type { Lookup, LookupAnswer } from './resolver/fetch-source.ts'
export type { ResolverLimits } from './resolver/limits.ts'
