/** What commands, servers, stores and tools of one's own are made with; few programs that run agents need any of it. */

export type { ApprovalMode, InterruptedMode } from './approval/approval.ts'
export {
  type Approvals,
  type ApprovalsOptions,
  type CheckedCall,
  createApprovals,
  type Verdict,
} from './approval/approvals.ts'
export { effectivePolicy, type PolicySources } from './approval/effective-policy.ts'
export { hashInput } from './approval/hash-input.ts'
export { parseApproval } from './approval/parse-approval.ts'
export { parseRule, type Rule, type RuleKind, type RuleTexts } from './approval/rule.ts'
export { type JudgedCall, type Judgement, RuleBook, type RuleBookOptions } from './approval/rule-book.ts'
export { readDocumentText, realFile } from './files/document-file.ts'
export type { OpenedFile } from './files/local-file.ts'
export { makeFolders } from './files/make-folders.ts'
export {
  type AppendDisk,
  type CreateOptions,
  createWhole,
  FileEnd,
  type WriteOnce,
  writeAll,
} from './files/write-all.ts'
export type { ClientCall, ClientOutput, RunClientTool } from './loop/calls/client-outputs.ts'
export { askServers, type ServerAnswer } from './model/ask-servers.ts'
export { findRecording } from './model/choose-model.ts'
export { createDemoModel } from './model/demo/demo-model.ts'
export { describeModelError } from './model/errors/model-error.ts'
export { type ListedProvider, listProviders } from './model/list-providers.ts'
export type { ModelContext, ModelFailure, ModelSettings } from './model/model.ts'
export { createReplayModel, type ReplayModelOptions } from './model/replay-model.ts'
export { createResolver } from './resolver/create-resolver.ts'
export { localOnly } from './resolver/local-only.ts'
export type { ResolverOptions } from './resolver/resolver-options.ts'
export type { RecordingPlace } from './run/confine-recording.ts'
export { checkDocument, type DocumentCheck } from './run/document/check-document.ts'
export type { ParamValue } from './run/document/param-values.ts'
export type { Preview, PreviewApproval, PreviewMessage, PreviewPiece } from './run/document/preview.ts'
export { previewDocument } from './run/document/preview-document.ts'
export { chooseDocumentModel, type ModelNames } from './run/document-model.ts'
export { type BranchOptions, branchDocument } from './run/edit/branch-document.ts'
export { rewriteDocument } from './run/edit/rewrite-document.ts'
export { saveDocument } from './run/edit/save-document.ts'
export type { Notice } from './run/run-options.ts'
export { type ConfigFolderOptions, findConfigFolder } from './settings/config-folder.ts'
export { type LoadSettingsOptions, loadSettings } from './settings/load-settings.ts'
export {
  type ModelSources,
  resolveModelName,
  resolveSyntax,
  type SyntaxSources,
} from './settings/resolve-settings.ts'
export type { Settings } from './settings/settings.ts'
export { readLeaseMs } from './store/folder/lease-time.ts'
export { type LockFile, type LockOptions, tryLockFile, waitForLockFile } from './store/folder/lock-file.ts'
export { type Pruned, type PrunedItem, type PruneOptions, pruneFolder } from './store/folder/prune-folder.ts'
export { endsRun, stateAfter } from './store/log-end.ts'
export { LoggedSpending } from './store/logged-spending.ts'
export type {
  DocumentFiles,
  Documents,
  FileKind,
  Inbox,
  Lease,
  LeaseOptions,
  Leases,
  OpenDocument,
  OpenSidecar,
  Payloads,
  Post,
  ReadLimit,
  RunEntry,
  RunLog,
  RunLogs,
  RunNews,
  RunState,
  ScannedLog,
  Sidecar,
  SidecarRecord,
  Sidecars,
  StoredDocument,
  StoredLog,
  TailLine,
  Trash,
  TrashedDocument,
  WriteCondition,
  WrittenElement,
} from './store/store.ts'
export type { RefinePrompt } from './tool/builtin/meta-refine.ts'
export type { WebOptions } from './tool/builtin/webpage-to-markdown.ts'
export type { ForeseenChange } from './tool/foreseen-change.ts'
export { createApplyPatchTool } from './tool/patch/apply-patch-tool.ts'
export { createShellTool, type ShellToolOptions } from './tool/process/shell-tool.ts'
export { openSandbox, type SandboxOptions } from './tool/sandbox/open-sandbox.ts'
export { type Launch, type Program, type Sandbox, type SandboxMode, sandboxModes } from './tool/sandbox/sandbox.ts'
export type { OutputOf, StandardSchema } from './tool/schema/standard-schema.ts'
export type { Subject } from './tool/subject.ts'
export type { OuterRun, Validation } from './tool/tool.ts'
export type { OpenToolSource, ToolSource, ToolSourceContext } from './tool/tool-source.ts'
export type { CommandIdentity, TrustedFile } from './trust/identify-command.ts'
export type { TrustQuestion } from './trust/trust-question.ts'
export { createTrustStore, type TrustEntry, type TrustStore, type TrustStoreOptions } from './trust/trust-store.ts'
export type { Lookup, LookupAnswer } from './web/checked-lookup.ts'
export type { ResolverLimits } from './web/limits.ts'
export { describeBytes } from './words/describe-bytes.ts'
export { estimateTokens } from './words/estimate-tokens.ts'
export { durationForm, parseDuration } from './words/parse-duration.ts'
export type { Price } from './words/price.ts'
export type { Sourced } from './words/sourced.ts'
