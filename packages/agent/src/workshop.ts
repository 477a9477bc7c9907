/** What servers, commands and stores of your own are made with; programs that run agents need none of it. */
export {
  type Approvals,
  type ApprovalsOptions,
  type CheckedCall,
  createApprovals,
  type Verdict,
} from './approval/approvals.ts'
export { effectivePolicy, type PolicySources } from './approval/effective-policy.ts'
export { parseApproval } from './approval/parse-approval.ts'
export { parseRule, type Rule, type RuleKind, type RuleTexts } from './approval/rule.ts'
export { type JudgedCall, type Judgement, RuleBook, type RuleBookOptions } from './approval/rule-book.ts'
export { readDocumentText, realFile } from './files/document-file.ts'
export { makeFolders } from './files/make-folders.ts'
export type { ClientCall, ClientOutput, RunClientTool } from './loop/calls/client-outputs.ts'
export { askServers, type ServerAnswer } from './model/ask-servers.ts'
export { describeModelError } from './model/errors/model-error.ts'
export { type ListedProvider, listProviders } from './model/list-providers.ts'
export type { ModelFailure } from './model/model.ts'
export { localOnly } from './resolver/local-only.ts'
export type { ParamValue } from './run/document/param-values.ts'
export type { PreviewApproval, PreviewMessage, PreviewPiece } from './run/document/preview.ts'
export { rewriteDocument } from './run/edit/rewrite-document.ts'
export { saveDocument } from './run/edit/save-document.ts'
export { collectRules, type RuleSources } from './settings/collect-rules.ts'
export { type ConfigFolderOptions, findConfigFolder } from './settings/config-folder.ts'
export { type LoadSettingsOptions, loadSettings } from './settings/load-settings.ts'
export {
  type MaxStepsSources,
  type ModelSources,
  resolveMaxSteps,
  resolveModelName,
  resolveSyntax,
  type SyntaxSources,
} from './settings/resolve-settings.ts'
export type { Settings } from './settings/settings.ts'
export { type LockFile, tryLockFile } from './store/folder/lock-file.ts'
export { endsRun, stateAfter } from './store/log-end.ts'
export { stepMark } from './store/marks.ts'
export type {
  Documents,
  Inbox,
  Lease,
  LeaseOptions,
  Leases,
  OpenDocument,
  Payloads,
  Post,
  RunEntry,
  RunLog,
  RunLogs,
  RunState,
  StoredDocument,
  StoredLog,
  WriteOptions,
  WrittenElement,
} from './store/store.ts'
export type { ForeseenChange } from './tool/foreseen-change.ts'
export { createRedactor } from './tool/output/redact.ts'
export { openSandbox, type SandboxOptions } from './tool/sandbox/open-sandbox.ts'
export { type Sandbox, type SandboxMode, sandboxModes } from './tool/sandbox/sandbox.ts'
export type { Subject } from './tool/subject.ts'
export type { Validation } from './tool/tool.ts'
export type { OpenToolSource, ToolSource, ToolSourceContext } from './tool/tool-source.ts'
export { openTranscript, type TranscriptOptions } from './transcript/open-transcript.ts'
export type { Transcript } from './transcript/transcript.ts'
export type { CommandIdentity, TrustedFile } from './trust/identify-command.ts'
export type { TrustEntry } from './trust/trust-store.ts'
export type { Lookup, LookupAnswer } from './web/checked-lookup.ts'
export type { ResolverLimits } from './web/limits.ts'
export { estimateTokens } from './words/estimate-tokens.ts'
export type { Sourced } from './words/sourced.ts'
