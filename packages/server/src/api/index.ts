import type { Diagnostic, Message, ToolDefinition, UIMessage } from '@argot/core'
import type { LogLine } from '@argot/core/stream'
import type { ApprovalAnswer, ApprovalChange, ChangedFile } from '@argot/core/stream/internal'
import type { AnswerBody, CallOutput, ChatRequest, PendingApproval, WaitingCall } from './bodies.ts'

/**
 * The HTTP protocol between clients and the server. Types only, so that a browser can import them. They also type the
 * routes' JSON Schemas: a field that exists in only one of the two doesn't compile.
 */

/** The body and the answer of each operation, by its id in the OpenAPI document. `never` is an event stream. */
export interface Api {
  health: { answer: { status: string } }
  ready: Api['health']
  openSession: { body: { token: string }; answer: undefined }
  openapi: { answer: Record<string, unknown> }
  sendChat: { body: ChatRequest; answer: never }
  resumeChat: { answer: never }
  startRun: { body: RunRequest; answer: RunResource }
  listRuns: { answer: { runs: RunResource[] } }
  getRun: { answer: RunResource }
  streamRun: { answer: never }
  steerRun: { body: { input: string | UIMessage }; answer: RunResource }
  stopRun: { body: { reason?: string }; answer: RunResource }
  answerApprovals: { body: { answers: AnswerBody[] }; answer: { results: AnswerResult[] } }
  checkApproval: { answer: ApprovalCheckResult }
  giveOutput: { body: CallOutput; answer: RunResource }
  getOutput: { answer: string }
  readLog: { answer: LogLine[] }
  describeLog: { answer: undefined }
  listModels: { answer: { models: ListedModel[]; syntaxes: string[]; takesKeys: boolean } }
  storeKey: { body: { key: string }; answer: { place: 'keyring' | 'file'; isUsed: boolean } }
  readSettings: { answer: DocumentSettings }
  listDocuments: { answer: DocumentEntry[] }
  listMessages: { answer: MessagePage<Message | UIMessage> }
  checkDocument: { answer: { diagnostics: Diagnostic[] } }
  checkDraft: { body: string; answer: Api['checkDocument']['answer'] }
  previewDocument: { answer: DocumentPreview }
  branchDocument: { body: { at: string; including?: boolean }; answer: { path: string } }
  listBranches: { answer: { points: BranchPointResource[] } }
  giveFeedback: { body: FeedbackRequest; answer: FeedbackRequest }
  renameDocument: { body: { to: string }; answer: Api['branchDocument']['answer'] }
  copyDocument: { body: { to?: string }; answer: Api['branchDocument']['answer'] }
  nameDocument: { body: { title: string }; answer: DocumentEntry }
  readChanges: { answer: TurnChangesResource }
  undoTurn: { answer: TurnUndoResource }
  readDocument: { answer: string }
  writeDocument: { body: string; answer: { version: string } }
  removeDocument: { answer: TrashEntry }
  restoreDocument: { answer: Api['branchDocument']['answer'] }
  searchDocuments: { answer: SearchAnswer }
  readRelaxations: { answer: { active: ActiveRelaxation[]; key?: string; problem?: string } }
  startRelaxation: { body: { document: string; folder: string; key: string }; answer: ActiveRelaxation }
  endRelaxation: { answer: undefined }
  listTrash: { answer: TrashEntry[] }
  followEvents: { answer: never }
}

/** The data of each event of `followEvents`, by event name. */
export interface ServerEvents {
  run: RunResource
  document: DocumentEntry | { path: string; state: 'gone' }
  chunk: LogLine & { run: string }
  /** The complete current state has been sent. */
  ready: Record<string, never>
}

/** Why a request was refused. Some codes come with more fields, such as `run` or `limit`. */
export interface ServerProblem {
  code: string
  message: string
}

export interface RunRequest {
  document: string
  /** Without it, the document's last message is answered. */
  input?: string | UIMessage
  /**
   * What happens while another run of the document is working; `queue` by default. With `steer` that run takes the
   * message.
   */
  mode?: 'queue' | 'reject' | 'steer'
  params?: Record<string, string>
  model?: string
  syntax?: string
  /** Which calls run without approval. It can only be stricter than the server's policy. */
  approve?: 'ask' | 'readonly' | 'none'
}

export interface RunResource {
  id: string
  document: string
  state: 'queued' | 'running' | 'waiting' | 'stopping' | 'done' | 'failed' | 'stopped'
  /** The offset of the next chunk. */
  offset: number
  startedAt: string
  endedAt?: string
  steps: number
  /** `cost` is present once the run is over, if the settings have a price for its model. It is in their currency. */
  usage: { inputTokens: number; outputTokens: number; totalTokens: number; estimated?: boolean; cost?: number }
  finishReason?: string
  error?: string
  code?: string
  pending: PendingApproval[]
  /** For a waiting run: the calls whose tools run in the client. */
  outputs: WaitingCall[]
  /** The document's queued messages. */
  queue: { id: string; text: string }[]
}

export interface AnswerResult {
  approvalId: string
  /** 200: accepted. 409: another answer came first, or the input has changed. 410: the call no longer waits. */
  status: 200 | 409 | 410
  /** The answer that applies. */
  answer?: ApprovalAnswer
  message?: string
}

/** What a waiting call would do to the files now. */
export interface ApprovalCheckResult {
  /**
   * `applies`: what the question shows. `changed`: something else, so the run would refuse it. `fails`: nothing, for
   * the reason in `problem`. `unknown`: the tool can't tell.
   */
  state: 'applies' | 'changed' | 'fails' | 'unknown'
  at: string
  problem?: string
  changes?: ApprovalChange[]
  /** The changes as a unified diff. */
  diff?: string
}

export interface DocumentEntry {
  path: string
  title: string
  state: 'idle' | 'running' | 'waiting' | 'interrupted'
  updatedAt: string
  /** The run that isn't over. */
  run?: string
  /** The document it was branched from, which may no longer exist. */
  branchOf?: string
}

/** A point where branches of a document diverge. */
interface BranchPointResource {
  /** The id of the first message that differs, in the requested document. Missing if that has none yet. */
  message?: string
  /** The documents, oldest first. The requested one is at index `current`. */
  documents: string[]
  current: number
}

interface FeedbackRequest {
  /** The id of an answer. */
  message: string
  /** `none` removes earlier feedback. */
  value: 'good' | 'bad' | 'none'
  reason?: string
}

/** What a turn did: one user message, and everything until the assistant finished. */
interface TurnChangesResource {
  run: string
  /** The assistant's last message in it. */
  message?: string
  /** False while its run is working or waiting. */
  isOver: boolean
  files: ChangedFile[]
  /** Other effects. An undo doesn't reverse them. */
  effects: TurnEffectResource[]
  undoneAt?: string
}

interface TurnEffectResource {
  toolName: string
  /** In words, for example "Ran npm test". */
  text: string
}

interface TurnUndoResource {
  run: string
  files: {
    path: string
    /** `already`: the file already had its earlier content, so nothing was written. */
    outcome: 'restored' | 'already' | 'refused'
    reason?: string
  }[]
  effects: TurnEffectResource[]
  undoneAt: string
}

interface SearchAnswer {
  hits: SearchHit[]
  total: number
  /** False: no document contains all words, so these contain some of them. */
  hasAll: boolean
  /** Documents that are too large or can't be read. */
  skipped: number
}

interface SearchHit {
  path: string
  title: string
  /** The best message's position in the document, from 1. 0 if only the title or the path matches. */
  message: number
  id?: string
  role?: string
  snippet: SearchSnippet
}

interface SearchSnippet {
  text: string
  /** Start and end of each match in `text`. */
  marks: number[][]
}

/** `UIMessage` with `format=ui`. */
export interface MessagePage<Shape = Message> {
  messages: Shape[]
  /** Send it as `before` to get earlier messages. Missing if these are the first. */
  before?: string
  total: number
  /** The run that isn't over. */
  run?: string
}

export interface DocumentPreview {
  model: string
  syntax: string
  /** An estimate, without images. */
  tokens?: number
  messages: {
    role: string
    /** False for parts that stay in the document, such as comments. */
    sent: boolean
    pieces: {
      text: string
      /** `chat.chatmd:4`, the address of a `<doc>`, or why Argot adds it. */
      origin: string
      /** Added by Argot, not in the document. */
      added?: boolean
      tokens?: number
    }[]
  }[]
  tools: ToolDefinition[]
  diagnostics: Diagnostic[]
  notices: string[]
}

export interface ListedModel {
  name: string
  provider: string
  title: string
  isReady: boolean
  /** What has to be set, or why it can't be used now. */
  needs?: string
  /** Clients can store a key for its provider with `PUT /api/keys/PROVIDER`. */
  takesKey?: boolean
}

/** Defaults for a run whose request sets nothing else. */
export interface DocumentSettings {
  model: string
  syntax: string
  /** For tools that no policy names. */
  approve: 'all' | 'ask' | 'readonly' | 'none'
  /** The server was started with `--allow-relax`; missing otherwise. */
  allowsRelax?: boolean
  /** Why it wouldn't run. */
  problem?: string
}

interface ActiveRelaxation {
  /** Relative to the served folder. Empty for the served folder itself. */
  folder: string
  until: string
}

export interface TrashEntry {
  path: string
  /** Distinguishes documents that had the same path. */
  id: string
  removedAt: string
}
