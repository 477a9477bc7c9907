import { execFileSync } from 'node:child_process'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { runCommand } from '../src/commands/run.ts'
import { repeatFlags } from '../src/options/repeat-flags.ts'
import { FakeTerminal } from './terminal.ts'

function makeCommand(): Command {
  const command = new Command('run').argument('<file>').exitOverride()
  const screen = new FakeTerminal()
  const io = { stdin: process.stdin, stdout: screen, stderr: screen, env: {}, cwd: () => '/' }
  runCommand(command, io as never, () => {})
  return command.action(() => {})
}

/** A value that each option takes. */
const values: Readonly<Record<string, string>> = {
  model: 'openai:it is "mine"',
  toolSyntax: 'xml',
  syntax: 'caret',
  maxSteps: '3',
  maxTokens: '1000',
  context: '8000',
  summaryModel: 'demo',
  price: '2.5/10',
  approve: 'ask,write_file=all',
  allow: "write_file(it's/**)",
  deny: 'git(push **)',
  allowPath: '/a folder',
  tools: './tools.js',
  allowEnv: 'ARGOT_TOKEN',
  interrupted: 'tell',
  sandbox: 'require',
  limit: 'one-writer',
  idleTimeout: '1.5',
  replyTimeout: '600',
  maxReply: '1000',
  maxTime: '3600',
  salvageDialect: 'hermes',
  cacheDays: '0.5',
  outputSchema: 'schema.json',
}

/** What belongs to one start of the command only. */
const once = ['param', 'input', 'answer', 'output', 'json', 'quiet', 'dryRun', 'wait', 'compact']

const repeated = makeCommand()
  .options.filter(option => !once.includes(option.attributeName()))
  .map(option => ({ name: option.attributeName(), flag: option.long!, takes: option.required }))

test.each(repeated)('$flag is in the command that continues a run, as a shell takes it', ({ name, flag, takes }) => {
  const value = values[name]
  expect(value !== undefined, `a value for ${flag}`).toBe(takes)
  const first = makeCommand()
  first.parse(['chat.chatmd', flag, ...(value === undefined ? [] : [value])], { from: 'user' })
  const said = repeatFlags(first)
  const words = execFileSync('sh', ['-c', `printf '%s\\0' chat.chatmd${said}`], { encoding: 'utf8' }).split('\0')
  const second = makeCommand()
  second.parse(words.slice(0, -1), { from: 'user' })
  expect(said).toContain(flag)
  expect(second.opts()).toEqual(first.opts())
})

test.each(['--json', '--quiet', '--dry-run', '--wait', '--compact'])('%s belongs to one start only', flag => {
  const command = makeCommand()
  command.parse(['chat.chatmd', flag], { from: 'user' })
  expect(repeatFlags(command)).toBe('')
})
