import { builtinNames, checkModelName } from '@argot/agent/internal'
import { parseApproval } from '@argot/agent/workshop'
import { getMessageText } from '@argot/core'
import { english } from '@argot/core/stream'
import { nearestNames } from '@argot/core/stream/internal'
import { syntaxes } from '@argot/core/syntax'
import { describeSummary } from '../view/describe-summary.ts'
import type { DocumentConversation } from './conversation.ts'
import { findPageAddress } from './find-page-address.ts'

export interface CommandContext {
  conversation: DocumentConversation
  /** Known model names, loaded in the background. */
  models: readonly string[]
  syntaxes: readonly string[]
  say(text: string): void
  put(text: string): void
  send(text: string | undefined): void
  show(): Promise<void>
  clear(): void
  leave(): void
}

export interface SlashCommand {
  name: string
  usage?: string
  about: string
  isExclusive?: boolean
  needsWords?: boolean
  complete?: (context: CommandContext) => readonly string[]
  run: (words: string, context: CommandContext) => Promise<void> | void
}

export const slashCommands: readonly SlashCommand[] = [
  {
    name: 'help',
    about: 'show commands and keys',
    run: (_, context) => context.say(helpText()),
  },
  {
    name: 'model',
    usage: '[NAME]',
    about: 'choose the model',
    complete: ({ models }) => models,
    run: chooseModel,
  },
  {
    name: 'syntax',
    usage: '[NAME]',
    about: 'choose how the model writes tool calls',
    complete: context => context.syntaxes,
    run: chooseSyntax,
  },
  {
    name: 'tools',
    usage: '[NAME …] [-NAME …]',
    about: 'add or remove tools',
    isExclusive: true,
    complete: () => [...builtinNames, ...builtinNames.map(name => `-${name}`)],
    run: changeTools,
  },
  {
    name: 'approve',
    usage: '[ask|all|readonly|none]',
    about: 'choose which calls run without asking',
    complete: () => ['ask', 'all', 'readonly', 'none'],
    run: chooseApproval,
  },
  {
    name: 'branch',
    usage: '[N]',
    about: 'continue in a copy, after your Nth message',
    isExclusive: true,
    run: branch,
  },
  { name: 'undo', about: 'take back your last message, in a copy', isExclusive: true, run: undo },
  { name: 'retry', about: 'answer your last message again, in a copy', isExclusive: true, run: retry },
  {
    name: 'compact',
    about: 'summarise older turns, only for the model',
    isExclusive: true,
    run: compact,
  },
  { name: 'cost', about: 'show tokens and cost so far', run: showCost },
  {
    name: 'save',
    usage: 'NAME',
    about: 'rename the document',
    isExclusive: true,
    needsWords: true,
    run: save,
  },
  { name: 'open', about: 'show the address of this chat on the page', run: open },
  { name: 'clear', about: 'clear the screen', run: (_, context) => context.clear() },
  { name: 'quit', about: 'exit; the document keeps everything', run: (_, context) => context.leave() },
]

/** Reads a text as a command. Undefined for a message, which may begin with a path. */
export function readCommand(text: string): { name: string; words: string } | undefined {
  const match = /^\/([a-z]+)(?:\s+([\s\S]*))?$/.exec(text.trimEnd())
  return match === null ? undefined : { name: match[1]!, words: (match[2] ?? '').trim() }
}

/** Runs a command. If it is invalid, the user sees why and nothing is sent. */
export async function runCommand(text: string, context: CommandContext, isRunning: boolean): Promise<void> {
  const { name, words } = readCommand(text)!
  const command = slashCommands.find(one => one.name === name)
  if (command === undefined) {
    const names = slashCommands.map(one => one.name)
    const [nearest] = nearestNames(name, names, 1)
    context.say(
      `There is no command /${name}. ${nearest === undefined ? '/help lists them.' : `Did you mean /${nearest}?`}`,
    )
  } else if (command.isExclusive === true && isRunning) {
    context.say(`/${name} isn't available during a run. Esc stops the run.`)
  } else if (command.needsWords === true && words === '') {
    context.say(`Usage: /${name} ${command.usage}`)
  } else {
    try {
      await command.run(words, context)
    } catch (error) {
      context.say((error as Error).message)
    }
  }
}

async function chooseModel(name: string, { conversation, models, say }: CommandContext): Promise<void> {
  if (name === '') {
    const { model } = await conversation.settings()
    say(`The model is ${model || 'not set'}. /model NAME chooses another: ${models.slice(0, 12).join(', ')}.`)
    return
  }
  checkModelName(name, { env: conversation.env })
  const before = conversation.model
  conversation.model = name
  const { model, syntax, problem } = await conversation.settings()
  if (problem !== undefined) {
    conversation.model = before
    say(problem)
  } else say(`The next message goes to ${model} (${syntax}).`)
}

async function chooseSyntax(name: string, { conversation, say, syntaxes: names }: CommandContext): Promise<void> {
  if (name !== '') conversation.syntax = syntaxes.get(name).name
  const { syntax } = await conversation.settings()
  if (name === '') say(`The tool syntax is ${syntax}. /syntax NAME chooses another: ${names.join(', ')}.`)
  else say(`From your next message, the tool syntax is ${syntax}.`)
}

async function changeTools(words: string, { conversation, say }: CommandContext): Promise<void> {
  const names = words.split(/[\s,]+/).filter(word => word !== '')
  const unknown = names.map(name => name.replace(/^[+-]/, '')).find(name => !builtinNames.includes(name))
  if (unknown !== undefined) {
    const [nearest] = nearestNames(unknown, builtinNames, 1)
    const cure = nearest === undefined ? `Built-in tools: ${builtinNames.join(', ')}.` : `Did you mean ${nearest}?`
    say(`There is no built-in tool ${unknown}. ${cure}`)
    return
  }
  const remove = names.filter(name => name.startsWith('-')).map(name => name.slice(1))
  const add = names.filter(name => !name.startsWith('-')).map(name => name.replace(/^\+/, ''))
  if (names.length > 0) await conversation.changeTools(add, remove)
  const tools = await conversation.toolNames()
  const list = tools.length === 0 ? 'The model has no tools.' : `The model can call ${tools.join(', ')}.`
  const others = builtinNames.filter(name => !tools.includes(name))
  say(names.length > 0 ? list : `${list} /tools NAME adds one, /tools -NAME removes one. Others: ${others.join(', ')}.`)
}

async function chooseApproval(words: string, { conversation, say }: CommandContext): Promise<void> {
  if (words !== '') conversation.approve = parseApproval(words)
  const { approve } = await conversation.settings()
  const meaning = meanings[approve as keyof typeof meanings]
  say(`Approvals: ${words === '' ? approve : words}.${meaning === undefined ? '' : ` ${meaning}`}`)
}

const meanings = {
  ask: 'Read-only calls run without asking. Argot asks before all others.',
  all: 'All calls run without asking.',
  readonly: 'Read-only calls run. All others are refused.',
  none: 'No calls run.',
}

async function branch(words: string, { conversation, say, show }: CommandContext): Promise<void> {
  const { messages } = await conversation.read()
  const userMessages = messages.filter(({ role }) => role === 'user')
  if (userMessages.length === 0) {
    say('There is nothing to branch from yet.')
    return
  }
  if (words === '') {
    say(`You are now in a copy: ${await conversation.branch()}. The original is unchanged.`)
    return
  }
  const message = userMessages[Number(words) - 1]
  if (!/^\d+$/.test(words) || message === undefined) {
    const list = userMessages.map(
      (one, index) => `${index + 1}  ${getMessageText(one).trim().split('\n', 1)[0]!.slice(0, 60)}`,
    )
    say(`/branch N needs the number of one of your messages:\n${list.join('\n')}`)
    return
  }
  const index = messages.indexOf(message)
  const next = messages[index + 1]
  const name = await conversation.branch(next?.role === 'assistant' ? next : message)
  say(`You are now in a copy with your first ${words === '1' ? 'message' : `${words} messages`}: ${name}.`)
  await show()
}

async function undo(_: string, { conversation, say, put }: CommandContext): Promise<void> {
  const text = await conversation.takeBack()
  if (text === undefined) {
    say('There is nothing to take back.')
    return
  }
  say(
    `Your last message is back in the composer. The chat continues in ${conversation.name}. The original is unchanged.`,
  )
  put(text)
}

async function retry(_: string, { conversation, say, send }: CommandContext): Promise<void> {
  if (await conversation.isWaiting()) {
    send(undefined)
    return
  }
  const text = await conversation.takeBack()
  if (text === undefined) say('There is no message to answer again.')
  else {
    say(`The chat continues in ${conversation.name}. The original is unchanged.`)
    send(text)
  }
}

async function compact(_: string, { conversation, say }: CommandContext): Promise<void> {
  say('Summarising older turns …')
  const summary = await conversation.compact()
  if (summary === undefined) say('There is nothing to summarise.')
  else say(`${describeSummary(summary.replaces)} The summary used ${english.number(summary.tokens)} tokens.`)
}

async function showCost(_: string, { conversation, say }: CommandContext): Promise<void> {
  const { runs, input, output, cost, isEstimate } = conversation.spending
  const about = isEstimate ? 'about ' : ''
  const price = cost === undefined ? '' : `, cost ${about}${Number(cost.toPrecision(3))}`
  const tokens = `${about}${english.number(input)} tokens in, ${english.number(output)} out${price}`
  say(
    runs === 0
      ? 'Nothing has been sent since you opened this chat.'
      : `${runs === 1 ? 'One run' : `${runs} runs`} since you opened this chat: ${tokens}.`,
  )
}

async function save(name: string, { conversation, say }: CommandContext): Promise<void> {
  say(`This chat is now ${await conversation.rename(name)}.`)
}

async function open(_: string, { conversation, say }: CommandContext): Promise<void> {
  if (conversation.file === undefined) {
    say('The chat has no document until you send a message.')
    return
  }
  const address = await findPageAddress(conversation.file, conversation.env)
  say(
    address === undefined
      ? `No server is running for this folder. Start one with \`argot serve\`. The chat is ${conversation.name}.`
      : address,
  )
}

function helpText(): string {
  const commands = slashCommands.map(({ name, usage = '', about }) => [`/${name} ${usage}`.trim(), about] as const)
  const width = Math.max(...[...commands, ...keys].map(([name]) => name.length))
  const table = (rows: readonly (readonly [string, string])[]): string =>
    rows.map(([name, about]) => `  ${name.padEnd(width)}  ${about}`).join('\n')
  return `Commands:\n${table(commands)}\n\nKeys:\n${table(keys)}`
}

const keys: readonly (readonly [string, string])[] = [
  ['Enter', 'send; during a run, queue the message'],
  ['Ctrl S', 'add to the current run at the next step'],
  ['Shift+Enter, Alt+Enter, \\ Enter', 'new line'],
  ['Tab', 'complete; in an empty composer, browse calls'],
  ['@', 'complete a file name'],
  ['↑ ↓, Ctrl R', 'earlier messages; search them'],
  ['Ctrl G', 'write in $EDITOR'],
  ['Ctrl O', 'open the last call'],
  ['Esc', 'stop the run'],
  ['Ctrl C', 'clear the composer or stop; twice to exit'],
  ['Ctrl D, Ctrl L, Ctrl Z', 'exit, clear the screen, suspend'],
]
