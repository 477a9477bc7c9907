/** For the packages in this repository only: names here change without notice. */

export type { ApprovalMode, InterruptedMode } from './approval/approval.ts'
export { hashInput } from './approval/hash-input.ts'
export { partsToChoose } from './approval/question-facts.ts'
export { parseRule, type RuleKind, type RuleTexts } from './approval/rule.ts'
export { type Judgement, RuleBook } from './approval/rule-book.ts'
export { readDocumentText, realFile } from './files/document-file.ts'
export type { EditorFiles } from './files/editor-files.ts'
export { listBeside } from './files/list-beside.ts'
export { makeFolders } from './files/make-folders.ts'
export type { Workspace } from './files/workspace.ts'
export { createWhole, FileEnd, writeAll } from './files/write-all.ts'
export { addStoredKeys } from './keys/add-stored-keys.ts'
export { createKeyStore, type KeyStore, requireProvider, type StoredKey, takesKey } from './keys/key-store.ts'
export type { ClientCall, ClientOutput, RunClientTool } from './loop/calls/client-outputs.ts'
export type { PlanOptions } from './loop/plan.ts'
export { askServers, type ServerAnswer } from './model/ask-servers.ts'
export { checkModelName, findRecording } from './model/choose-model.ts'
export { type ListedProvider, listProviders } from './model/list-providers.ts'
export type { ModelSettings } from './model/model.ts'
export { localOnly } from './resolver/local-only.ts'
export type { ResolverOptions } from './resolver/resolver-options.ts'
export { readTurnChanges } from './run/changes/turn-changes.ts'
export { undoTurn } from './run/changes/undo-turn.ts'
export { compactDocument } from './run/compact-document.ts'
export type { DocumentCheck } from './run/document/check-document.ts'
export { checkWaitingCall } from './run/document/check-waiting-call.ts'
export { type DocumentCard, readDocumentCard, readPrompt } from './run/document/document-card.ts'
export { documentSettings } from './run/document/document-settings.ts'
export type { ParamValue } from './run/document/param-values.ts'
export type { PreviewApproval, PreviewMessage, PreviewPiece } from './run/document/preview.ts'
export { createStoreResolver } from './run/document/store-resolver.ts'
export { cleanDocument } from './run/edit/clean-document.ts'
export { rewriteDocument } from './run/edit/rewrite-document.ts'
export { saveDocument } from './run/edit/save-document.ts'
export { refuseLinkedFiles } from './run/input-message.ts'
export { TitleWriter } from './run/title-writer.ts'
export {
  type DocumentHit,
  type DocumentHits,
  DocumentSearch,
} from './search/document-search.ts'
export type { Snippet } from './search/snippet.ts'
export { findConfigFolder } from './settings/config-folder.ts'
export { resolveModelName, resolveSyntax } from './settings/resolve-settings.ts'
export type { Settings } from './settings/settings.ts'
export { type BranchOrigin, readOrigin, writeOrigin } from './store/branch-origin.ts'
export { findBranchPoints } from './store/branch-points.ts'
export { type DocumentSummary, describeDocument, newestOpenRun } from './store/describe-document.ts'
export { readDocumentFacts } from './store/document-facts.ts'
export { setDocumentTitle } from './store/document-title.ts'
export { type DocumentRecords, hashText, readRecords, toBatch, toRecords } from './store/element-records.ts'
export {
  type CopiedLog,
  createOnce,
  type RawPieces,
  readPieces,
  writeLog,
  writePieces,
} from './store/folder/copy-pieces.ts'
export { sidecarPath } from './store/folder/layout.ts'
export { readLeaseMs } from './store/folder/lease-time.ts'
export { type LockFile, tryLockFile, waitForLockFile } from './store/folder/lock-file.ts'
export { pruneFolder } from './store/folder/prune-folder.ts'
export { readSidecarFeedback, readSidecarRecords } from './store/folder/sidecar-records.ts'
export { endsRun, stateAfter } from './store/log-end.ts'
export { LoggedSpending, readEndUsage } from './store/logged-spending.ts'
export { mark, resumeMark } from './store/marks.ts'
export { matchDocument } from './store/match-document.ts'
export {
  FEEDBACK_REASON_LENGTH as feedbackReasonLength,
  readFeedback,
  writeFeedback,
} from './store/message-feedback.ts'
export { messageInPost, toMessagePost } from './store/message-post.ts'
export { type DatedDocument, documentDates, newestDocuments } from './store/newest-documents.ts'
export { makeStateKey } from './store/state-key.ts'
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
  Post,
  Pruned,
  PrunedItem,
  PruneOptions,
  ReadLimit,
  RunEntry,
  RunLog,
  RunLogs,
  RunNews,
  RunState,
  Sidecar,
  SidecarRecord,
  Sidecars,
  StoredDocument,
  StoredLog,
  TailLine,
  Trash,
  TrashedDocument,
  WriteCondition,
} from './store/store.ts'
export { builtinNames } from './tool/builtin/builtin-tools.ts'
export type { ForeseenChange } from './tool/foreseen-change.ts'
export type { EditorTerminal } from './tool/process/editor-terminal.ts'
export { type Sandbox, type SandboxMode, sandboxModes } from './tool/sandbox/sandbox.ts'
export { checkInput } from './tool/schema/check-input.ts'
export { depthKey } from './tool/source/depth-key.ts'
export type { Subject } from './tool/subject.ts'
export type { ToolOutcome } from './tool/tool.ts'
export type { ToolSourceContext } from './tool/tool-source.ts'
export { type ComparedSyntax, compareTrials, type TrialComparison } from './trial/compare-trials.ts'
export { examplePattern } from './trial/pattern.ts'
export { readReport } from './trial/read-report.ts'
export { readTasks } from './trial/read-tasks.ts'
export { planCases, runTrial } from './trial/run-trial.ts'
export { saveReport } from './trial/save-report.ts'
export { type SyntaxSummary, summarise } from './trial/summarise.ts'
export type { Task } from './trial/task.ts'
export { builtinTasks } from './trial/tasks/builtin-tasks.ts'
export { REPORT_FORMAT, type TrialCase, type TrialReport } from './trial/trial-report.ts'
export type { CommandIdentity } from './trust/identify-command.ts'
export type { TrustQuestion } from './trust/trust-question.ts'
export { describeBytes } from './words/describe-bytes.ts'
export { durationForm, parseDuration } from './words/parse-duration.ts'
export type { Price } from './words/price.ts'
