import { readFile, realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { folderStore, type RunOptions } from '@argot/agent'
import {
  builtinNames,
  checkModelName,
  newestDocuments,
  readDocumentText,
  type SandboxMode,
  sandboxModes,
} from '@argot/agent/internal'
import { parseChatMd } from '@argot/core/chatmd'
import { defined, nearestNames } from '@argot/core/stream/internal'
import { syntaxes } from '@argot/core/syntax'
import { listSyntaxes } from '@argot/core/syntax/internal'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { DocumentConversation } from '../chat/conversation.ts'
import { LiveChat } from '../chat/live-chat.ts'
import { newDocument } from '../chat/new-document.ts'
import { PlainChat } from '../chat/plain-chat.ts'
import { type Io, UsageError } from '../io/io.ts'
import { type ApproveFlags, createRuleReader, interruptedOption, parseApprove } from '../options/approve-option.ts'
import { quoteWord, repeatFlags } from '../options/repeat-flags.ts'
import { addSyntaxOption, type SyntaxFlags } from '../options/syntax-option.ts'
import { showRun } from './show-run.ts'

interface ChatFlags extends SyntaxFlags, ApproveFlags {
  continue?: boolean
  model?: string
  tools?: string
  new?: string
  sandbox?: SandboxMode
  plain?: boolean
}

export function chatCommand(command: Command, io: Io, done: (status: number) => void): void {
  command
    .option('-c, --continue', 'continue the most recent conversation in this folder')
    .option('-m, --model <name>', 'the model, such as openai:gpt-4o, ollama:llama3 or demo', notEmpty)
  addSyntaxOption(command)
    .option('-t, --tools <names>', 'built-in tools for a new chat, such as read_file,write_file', notEmpty)
    .option('--new <file>', 'start a new chat as a copy of this document', notEmpty)
    .option('--approve <mode>', 'which calls run without asking: ask, all, none or readonly', parseApprove)
    .addOption(interruptedOption())
    .option('--allow <rule>', 'run matching calls without asking; may be repeated', createRuleReader('allow'))
    .option('--deny <rule>', 'never run matching calls; may be repeated', createRuleReader('deny'))
    .option(
      '--allow-path <dir>',
      'let the chat and its tools also use files in this folder; may be repeated',
      (dir, all: string[] = []) => [...all, notEmpty(dir)],
    )
    .option('--allow-exec', 'start the commands, servers and modules in the document without asking')
    .addOption(
      new Option('--sandbox <mode>', 'sandbox the programs that tools start: auto, require or off').choices(
        sandboxModes,
      ),
    )
    .option('--plain', 'print whole sentences line by line without redrawing, for screen readers')
    .addHelpText(
      'after',
      '\nA new chat is a document in chats/. If standard input is not a terminal, it is\none message, and the answer goes to stdout.',
    )
    .action(async (file: string | undefined, flags: ChatFlags) => done(await chat(file, flags, io, command)))
}

async function chat(name: string | undefined, flags: ChatFlags, io: Io, command: Command): Promise<number> {
  if (name !== undefined && flags.continue === true) throw new UsageError('Use a document or --continue, not both.')
  const cwd = await realpath(io.cwd())
  const file = flags.continue === true ? await lastDocument(cwd) : name
  const options = toOptions(flags, io)
  if (flags.model !== undefined) checkModelName(flags.model, { env: io.env })
  const template = await readTemplate(flags, cwd)
  const conversation = new DocumentConversation({ cwd, env: io.env, file, template, options })
  if (io.stdin.isTTY !== true) return answerOnce(conversation, await readMessage(io), io, command)
  const names = listSyntaxes().map(({ name }) => name)
  const isPlain = flags.plain === true || io.stdout.isTTY !== true || io.env.TERM === 'dumb'
  const chatOptions = { io, conversation, syntaxes: ['auto', ...names.filter(one => one !== 'auto')] }
  return isPlain ? new PlainChat(chatOptions).run() : new LiveChat(chatOptions).run()
}

function toOptions(flags: ChatFlags, io: Io): RunOptions {
  const syntax = flags.toolSyntax ?? flags.syntax
  const { allow, deny } = flags
  return {
    allowPaths: flags.allowPath ?? [],
    env: io.env,
    ...defined({
      model: flags.model,
      syntax: syntax === undefined ? undefined : syntaxes.get(syntax).name,
      approve: flags.approve,
      interrupted: flags.interrupted,
      sandbox: flags.sandbox,
      allowExec: flags.allowExec,
      rules: allow === undefined && deny === undefined ? undefined : { allow, deny },
    }),
  }
}

/**
 * The newest document that is a conversation: one in `chats`, or one with an answer. A prompt without an answer isn't.
 */
async function lastDocument(cwd: string): Promise<string> {
  for (const { path } of await newestDocuments(folderStore(cwd))) {
    if (path.startsWith('chats/')) return path
    const content = await readDocumentText(resolve(cwd, path)).catch(() => undefined)
    if (content?.ok !== true) continue
    const { entries } = parseChatMd(content.text).document
    if (entries.some(entry => entry.type === 'message' && entry.role === 'assistant')) return path
  }
  throw new UsageError('There are no conversations in this folder yet. Start one with `argot chat`.')
}

async function readTemplate({ tools, new: file }: ChatFlags, cwd: string): Promise<string> {
  if (tools !== undefined && file !== undefined) throw new UsageError('Use --tools or --new, not both.')
  if (file !== undefined) {
    const text = await readFile(resolve(cwd, file), 'utf8').catch(() => undefined)
    if (text === undefined) throw new UsageError(`There is no document "${file}".`)
    return text
  }
  if (tools === undefined) return newDocument
  const names = tools
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')
  const unknown = names.find(name => !builtinNames.includes(name))
  if (unknown === undefined) return names.map(name => `<tool name="${name}"/>\n`).join('')
  const [nearest] = nearestNames(unknown, builtinNames, 1)
  const cure = nearest === undefined ? `Built-in tools: ${builtinNames.join(', ')}.` : `Did you mean \`${nearest}\`?`
  throw new UsageError(`--tools: there is no built-in tool "${unknown}". ${cure}`)
}

async function readMessage(io: Io): Promise<string> {
  const message = await readText(io.stdin)
  if (message.trim() === '') throw new UsageError('Standard input is empty.')
  return message.trimEnd()
}

async function answerOnce(
  conversation: DocumentConversation,
  input: string,
  io: Io,
  command: Command,
): Promise<number> {
  const file = await conversation.create()
  const again = `argot chat ${quoteWord(conversation.name!)}${repeatFlags(command, ['continue', 'new', 'tools', 'plain'])}`
  const options = conversation.runOptions(input)
  const start = (more: RunOptions) => conversation.begin(more)
  return showRun({ options, start, flags: {}, io, file, again, hasInput: true })
}

function notEmpty(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('It must not be empty.')
  return value
}
