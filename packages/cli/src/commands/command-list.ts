import type { Command } from 'commander'
import type { Io } from '../io/io.ts'

/** Gives a command, which has its name and arguments already, its options and what it does. */
export type CompleteCommand = (command: Command, io: Io, done: (status: number) => void) => void

/** What the list of commands shows of one; the rest of it is loaded when it is used. */
export interface CommandEntry {
  name: string
  description: string
  /** The description of each argument. */
  arguments: Readonly<Record<string, string>>
  load(): Promise<CompleteCommand>
}

/** The commands, in the order of the help. Nothing that a command needs is imported here. */
export const commandList: readonly CommandEntry[] = [
  {
    name: 'run',
    description: 'Runs a document and appends what happened to it.',
    arguments: { '<file>': 'the document, or - for standard input' },
    load: async () => (await import('./run.ts')).runCommand,
  },
  {
    name: 'ask',
    description: 'Asks a model without a document.',
    arguments: { '<question>': 'what you want to know; - reads it from standard input' },
    load: async () => (await import('./ask.ts')).askCommand,
  },
  {
    name: 'models',
    description: 'Lists the providers of models, and what is set for them.',
    arguments: {},
    load: async () => (await import('./models.ts')).modelsCommand,
  },
  {
    name: 'trial',
    description: 'Measures on small tasks which syntax works best for a model.',
    arguments: {},
    load: async () => (await import('./trial.ts')).trialCommand,
  },
  {
    name: 'init',
    description: 'Writes a first document and its settings.',
    arguments: { '[folder]': 'where; here by default' },
    load: async () => (await import('./init.ts')).initCommand,
  },
  {
    name: 'serve',
    description: 'Serves a folder of documents over HTTP.',
    arguments: { '[folder]': 'where the documents are; here by default' },
    load: async () => (await import('./serve.ts')).serveCommand,
  },
  {
    name: 'worker',
    description: 'Runs what servers on the same database accept.',
    arguments: {},
    load: async () => (await import('./worker.ts')).workerCommand,
  },
  {
    name: 'proxy',
    description: 'Gives any client tool calls from a local model that writes them as text.',
    arguments: {},
    load: async () => (await import('./proxy.ts')).proxyCommand,
  },
  {
    name: 'show',
    description: 'Prints a transcript with times, tokens, cost and phases.',
    arguments: { '<file>': 'the document' },
    load: async () => (await import('./show.ts')).showCommand,
  },
  {
    name: 'replay',
    description: 'Plays a transcript as the live stream it was. Nothing is run.',
    arguments: { '<file>': 'a document, a run log (.jsonl), or another transcript that argot convert reads' },
    load: async () => (await import('./replay.ts')).replayCommand,
  },
  {
    name: 'check',
    description: 'Checks documents and shows what is wrong, where, and how to fix it.',
    arguments: { '<files...>': 'documents, folders with documents, or - for standard input' },
    load: async () => (await import('./check.ts')).checkCommand,
  },
  {
    name: 'fmt',
    description: 'Prints a document in its canonical layout. What it means stays the same.',
    arguments: { '<files...>': 'documents, folders with documents, or - for standard input' },
    load: async () => (await import('./fmt.ts')).fmtCommand,
  },
  {
    name: 'branch',
    description: 'Writes a new document NAME.N.chatmd with the history before a message. The document stays as it is.',
    arguments: { '<file>': 'the document' },
    load: async () => (await import('./branch.ts')).branchCommand,
  },
  {
    name: 'convert',
    description: 'Converts a transcript, and says what the other format cannot carry.',
    arguments: {
      '<files...>':
        'transcripts (.chatmd, .md with callouts, .json with UI messages, .jsonl with chunks), or folders of documents',
    },
    load: async () => (await import('./convert.ts')).convertCommand,
  },
  {
    name: 'copy',
    description: 'Copies documents with their runs between a folder and a database.',
    arguments: { '<from>': 'a folder or a database', '<to>': 'the other one' },
    load: async () => (await import('./copy.ts')).copyCommand,
  },
  {
    name: 'prune',
    description: 'Erases documents that have been in the trash for long, and logs of runs that ended long ago.',
    arguments: { '[folder]': 'where the documents are; here by default' },
    load: async () => (await import('./prune.ts')).pruneCommand,
  },
  {
    name: 'parse',
    description: 'Reads a model’s text and prints its chunks as lines of JSON.',
    arguments: { '[file]': 'a file, or - for standard input (default: "-")' },
    load: async () => (await import('./parse.ts')).parseCommand,
  },
  {
    name: 'docs',
    description: 'Prints the text that teaches a model a syntax and its tools, or what each syntax costs.',
    arguments: { '[file]': 'a document that has the tools; or give them with --tools' },
    load: async () => (await import('./docs.ts')).docsCommand,
  },
]
