export { checkChatMd, type DocumentFix, findFixes, parseChecked } from './check/check.ts'
export { cleanChatMd } from './check/clean.ts'
export { formatChatMd } from './check/format.ts'
export { type Repaired, repairChatMd } from './check/repair.ts'
export type { ChatDocument, Entry, ToolDeclaration } from './document.ts'
export { type EntryOwner, entryOwners, type OwnerMessage } from './entry-owners.ts'
export { expand } from './expand/expand.ts'
export type { Expanded, ExpandedMessage, ExpandOptions, Origin, ParameterValues } from './expand/expanded.ts'
export { type Parameter, placesIn } from './expand/params.ts'
export type {
  AgentRequest,
  AgentResult,
  Frozen,
  FrozenPlace,
  FrozenSource,
  ResolveProblem,
  ResolveRequest,
  ResolveResult,
  Resolver,
  RunAgent,
} from './expand/resolver.ts'
export { type Parsed, type ParseOptions, parseChatMd, printChatMd } from './parse.ts'
export type { Attribute } from './reader/attribute.ts'
export { findAttribute } from './reader/attribute.ts'
export { type Token, tokenize } from './reader/lexer.ts'
export { type ElementNode, parseTree, printTree, type Tree, type TreeNode } from './reader/tree.ts'
export { nextFileNumber, safeId, type TranscriptRecord, type WriteOptions, type Written, writeChatMd } from './write.ts'
