export { checkChatMd, type DocumentFix, findFixes, parseChecked } from './check/check.ts'
export { cleanChatMd } from './check/clean.ts'
export { formatChatMd } from './check/format.ts'
export { type Repaired, repairChatMd } from './check/repair.ts'
export {
  type ChatDocument,
  type Config,
  type Entry,
  type ImportEntry,
  logOffset,
  type MessageEntry,
  type ReasoningEntry,
  type ToolCallEntry,
  type ToolDeclaration,
  type ToolResponseEntry,
} from './document.ts'
export { type EntryOwner, entryOwners, type OwnerMessage } from './entry-owners.ts'
export { expand } from './expand/expand.ts'
export type { Expanded, ExpandedMessage, ExpandOptions, Origin, ParameterValues, Piece } from './expand/expanded.ts'
export { type Parameter, placesIn } from './expand/params.ts'
export type {
  AgentRequest,
  AgentResult,
  Frozen,
  FrozenPlace,
  FrozenSource,
  ResolveKind,
  ResolveProblem,
  ResolveRequest,
  ResolveResult,
  Resolver,
  RunAgent,
} from './expand/resolver.ts'
export { type Parsed, type ParseOptions, parseChatMd, printChatMd } from './parse.ts'
export { type Fix, Problems } from './problems.ts'
export type { Attribute } from './reader/attribute.ts'
export { findAttribute, quoteAttribute } from './reader/attribute.ts'
export type { Content, HelperContent, Payload, TextContent } from './reader/content.ts'
export { type Token, type TokenType, tokenize } from './reader/lexer.ts'
export { writeText } from './reader/raw.ts'
export { type TagName, tagNames } from './reader/tag.ts'
export {
  type CommentNode,
  type ElementNode,
  parseTree,
  printTree,
  type RawNode,
  type StrayNode,
  type TextNode,
  type Tree,
  type TreeNode,
} from './reader/tree.ts'
export { nextFileNumber, safeId, type TranscriptRecord, type WriteOptions, type Written, writeChatMd } from './write.ts'
