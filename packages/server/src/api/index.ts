import type { Diagnostic, Message, ToolDefinition, UIMessage } from '@argot/core'
import type { LogLine } from '@argot/core/stream'
import type { ApprovalAnswer, ApprovalChange, ApprovalDecision } from '@argot/core/stream/internal'

/**
 * What clients and the server say to each other over HTTP. Types only, so that a browser can import them. The routes' JSON
 * Schemas are typed by them: a field that only one of the two has does not compile.
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
  answerApprovals: { body: { answers: GivenAnswer[] }; answer: { results: AnswerResult[] } }
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
  listBranches: { answer: { points: BranchPoint[] } }
  giveFeedback: { body: FeedbackRequest; answer: FeedbackRequest }
  renameDocument: { body: { to: string }; answer: Api['branchDocument']['answer'] }
  copyDocument: { body: { to?: string }; answer: Api['branchDocument']['answer'] }
  nameDocument: { body: { title: string }; answer: DocumentEntry }
  readChanges: { answer: TurnChanges }
  undoTurn: { answer: TurnUndo }
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

/** The data of each event of `followEvents`, by the event's name. */
export interface ServerEvents {
  run: RunResource
  document: DocumentEntry | { path: string; state: 'gone' }
  chunk: LogLine & { run: string }
  /** Everything that is happening now has been sent. */
  ready: Record<string, never>
}

/** Why a request was refused. Some codes come with more fields, such as `run` or `limit`. */
export interface ServerProblem {
  code: string
  message: string
}

export interface RunRequest {
  document: string
  /** Without it, the last message of the document is answered. */
  input?: string | UIMessage
  /** What happens while another run of the document works; `queue` by default. With `steer` that run takes the message. */
  mode?: 'queue' | 'reject' | 'steer'
  params?: Record<string, string>
  model?: string
  syntax?: string
  /** Which calls run without approval. It can only be stricter than what the server allows. */
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
  /** `cost` is there once the run is over, if the settings have a price for its model; in their currency. */
  usage: { inputTokens: number; outputTokens: number; totalTokens: number; estimated?: boolean; cost?: number }
  finishReason?: string
  error?: string
  code?: string
  /** The calls that wait for approval. */
  pending: PendingApproval[]
  /** Of a run that waits, the calls whose tools run in the client. */
  outputs: WaitingCall[]
  /** The messages of the document that wait for their turn. */
  queue: { id: string; text: string }[]
}

/** A call whose tool runs in the client. */
export interface WaitingCall {
  toolCallId: string
  toolName: string
  input?: unknown
}

/** A call that waits for approval, with the hash that an answer must name. */
export interface PendingApproval extends WaitingCall {
  approvalId: string
  inputHash: string
}

/** The server adds `by` and `at`. */
export interface GivenAnswer extends ApprovalDecision {
  approvalId: string
  /** The hash of the input that the person saw. */
  inputHash: string
}

export interface AnswerResult {
  approvalId: string
  /** 200: accepted; 409: another answer came first, or the input has changed; 410: the call no longer waits. */
  status: 200 | 409 | 410
  /** The answer that applies. */
  answer?: ApprovalAnswer
  message?: string
}

/** What a call that waits for an answer would do to the files as they are now. */
export interface ApprovalCheckResult {
  /**
   * `applies`: what the question shows. `changed`: something else, so the run would refuse it. `fails`: nothing, for the reason in
   * `problem`. `unknown`: its tool doesn't say.
   */
  state: 'applies' | 'changed' | 'fails' | 'unknown'
  /** When it was checked. */
  at: string
  problem?: string
  changes?: ApprovalChange[]
  /** What would change, in the unified format. */
  diff?: string
}

export type CallOutput = { toolCallId: string; output: unknown } | { toolCallId: string; errorText: string }

/** The body that the default transport of the AI SDK sends. */
export interface ChatRequest {
  id: string
  messages: UIMessage[]
  trigger?: string
  messageId?: string
  /** What happens to a message while a run of the document works; `queue` by default. */
  mode?: 'queue' | 'steer'
}

export interface DocumentEntry {
  path: string
  title: string
  state: 'idle' | 'running' | 'waiting' | 'interrupted'
  updatedAt: string
  /** The run that is not over. */
  run?: string
  /** The document that it was branched from. That may be gone by now. */
  branchOf?: string
}

/** A place at which documents that were branched from each other continue differently. */
interface BranchPoint {
  /** The id of the first message that differs, in the document that was asked about. Missing if that has none yet. */
  message?: string
  /** The documents, oldest first, with the one that was asked about at the place `current`. */
  documents: string[]
  current: number
}

interface FeedbackRequest {
  /** The id of an answer. */
  message: string
  /** `none` takes earlier feedback back. */
  value: 'good' | 'bad' | 'none'
  reason?: string
}

/** What a turn did: one message of the user, and everything until the assistant was done. */
interface TurnChanges {
  run: string
  /** The last message of the assistant in it. */
  message?: string
  /** False while its run works or waits. */
  isOver: boolean
  files: TurnFile[]
  /** What else it did. An undo doesn't take this back. */
  effects: TurnEffect[]
  undoneAt?: string
}

interface TurnFile {
  path: string
  /** Where a moved file was. */
  from?: string
  operation: 'add' | 'update' | 'move' | 'delete'
  /** How many lines; missing if the versions aren't kept, or aren't text. */
  added?: number
  removed?: number
  /** In the unified format. */
  diff?: string
  /** `ready`: it can be undone. `undone`: it has what it had before the turn. `refused`: it can't be undone, see `reason`. */
  state: 'ready' | 'undone' | 'refused'
  reason?: string
}

interface TurnEffect {
  toolName: string
  /** In words, such as "Ran npm test". */
  text: string
}

interface TurnUndo {
  run: string
  files: {
    path: string
    /** `already`: it had what it had before the turn, so nothing was written. */
    outcome: 'restored' | 'already' | 'refused'
    reason?: string
  }[]
  /** What isn't undone. */
  effects: TurnEffect[]
  undoneAt: string
}

interface SearchAnswer {
  hits: SearchHit[]
  total: number
  /** False: no document has all words, so these have some of them. */
  hasAll: boolean
  /** Documents that are too large or cannot be read. */
  skipped: number
}

interface SearchHit {
  path: string
  title: string
  /** The place of the best message among those of the document, from 1; 0 if only the title or the path has the words. */
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
  /** Send it as `before` to get the messages before these. Missing if these are the first. */
  before?: string
  total: number
  /** The run that is not over. */
  run?: string
}

export interface DocumentPreview {
  model: string
  syntax: string
  /** An estimate, without images. */
  tokens?: number
  messages: {
    role: string
    /** False for what stays in the document, such as a comment. */
    sent: boolean
    pieces: {
      text: string
      /** `chat.chatmd:4`, the address of a `<doc>`, or why Argot adds it. */
      origin: string
      /** Argot adds it; the document does not have it. */
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
  /** What has to be set, or why it cannot be used now. */
  needs?: string
  /** A key for its provider can be stored, by `PUT /api/keys/PROVIDER`. */
  takesKey?: boolean
}

/** What a run uses if its request names nothing else. */
export interface DocumentSettings {
  model: string
  syntax: string
  /** For tools that no policy names. */
  approve: 'all' | 'ask' | 'readonly' | 'none'
  /** The server was started with `--allow-relax`; missing otherwise. */
  allowsRelax?: boolean
  /** Why it would not run. */
  problem?: string
}

interface ActiveRelaxation {
  /** Below the folder that is served; empty for that one. */
  folder: string
  until: string
}

export interface TrashEntry {
  path: string
  /** Distinguishes documents that had the same path. */
  id: string
  removedAt: string
}
