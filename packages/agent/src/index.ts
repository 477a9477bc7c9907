export { userMessage } from '@argot/core'
export type { ApprovalAnswer, ApprovalPolicy, ApprovalRequest, Ask } from './approval/approval.ts'
export { createWorkspace, type Workspace, type WorkspaceOptions } from './files/workspace.ts'
export { type ChooseModelOptions, chooseModel } from './model/choose-model.ts'
export type { Model, Usage } from './model/model.ts'
export { type Agent, type AgentOptions, type AgentRunOptions, createAgent } from './run/create-agent.ts'
export { runDocument } from './run/run-document.ts'
export type { Run, RunOptions, RunResult } from './run/run-options.ts'
export { type FolderStoreOptions, folderStore } from './store/folder/folder-store.ts'
export type { Store } from './store/store.ts'
export { type BuiltinToolsOptions, createBuiltinTools } from './tool/builtin/builtin-tools.ts'
export {
  defineTool,
  type JsonToolOptions,
  type StandardToolOptions,
  type ToolOptions,
  type WithDetails,
  withDetails,
} from './tool/define-tool.ts'
export { type McpOptions, mcp } from './tool/source/mcp.ts'
export type { Tool, ToolContext, ToolOutcome } from './tool/tool.ts'
export { ToolFailure } from './words/tool-failure.ts'
