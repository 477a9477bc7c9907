/** Only for packages in this repository. These names change without notice. */
export { type DocumentFix, findFixes, parseChecked } from './check/check.ts'
export { type CleanedChatMd, type CleanedRecord, cleanWithRecords } from './check/clean.ts'
export type { ChatMdEntry, ToolDeclaration } from './document.ts'
export type { ElementRecord, MatchedRecords } from './element-record.ts'
export { describeEnding, readEnding } from './ending-comment.ts'
export { entryOwners } from './entry-owners.ts'
export type { ExpandedDocument, ExpandedMessage, ExpandOptions, ParameterValues } from './expand/expanded.ts'
export { type DocumentParameter, placeholderNames } from './expand/params.ts'
export type {
  AgentRequest,
  AgentResult,
  FrozenPlace,
  FrozenSource,
  FrozenSourceStore,
  ResolveProblem,
  RunAgent,
} from './expand/resolver.ts'
export type { Attribute } from './reader/attribute.ts'
export { findAttribute, writeAttribute } from './reader/attribute.ts'
export type { ElementNode, Tree, TreeNode } from './reader/tree.ts'
export { withRecords } from './with-records.ts'
export {
  nextFileNumber,
  safeId,
  type TranscriptRecord,
  type WriteOptions,
  type WriteResult,
  type WrittenRecord,
} from './write.ts'
