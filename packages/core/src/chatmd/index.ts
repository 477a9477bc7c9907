export type { Attribute } from './attribute.ts'
export { findAttribute, quoteAttribute } from './attribute.ts'
export { checkChatMd, type DocumentFix, findFixes, parseChecked } from './check.ts'
export { cleanChatMd } from './clean.ts'
export type { Content, HelperContent, Payload, TextContent } from './content.ts'
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
export { expand } from './expand.ts'
export type { Expanded, ExpandedMessage, ExpandOptions, Origin, ParameterValues, Piece } from './expanded.ts'
export { formatChatMd } from './format.ts'
export { type Token, type TokenType, tokenize } from './lexer.ts'
export { type Parameter, placesIn } from './params.ts'
export { type Parsed, type ParseOptions, parseChatMd, printChatMd } from './parse.ts'
export { type Fix, Problems } from './problems.ts'
export { writeText } from './raw.ts'
export { type Repaired, repairChatMd } from './repair.ts'
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
} from './resolver.ts'
export { type TagName, tagNames } from './tag.ts'
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
} from './tree.ts'
export { nextFileNumber, safeId, type TranscriptRecord, type WriteOptions, type Written, writeChatMd } from './write.ts'
