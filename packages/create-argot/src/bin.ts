#!/usr/bin/env node
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { CreateError, createProject } from './create-project.ts'
import { isTemplate, type TemplateName, templates } from './templates.ts'

const names = Object.keys(templates) as TemplateName[]
const usage = `Usage: npm create argot FOLDER -- --template NAME

Create an Argot project in FOLDER. The folder must be empty or not exist yet.

Options:
  -t, --template NAME   one of the templates below
  --packages DIR        install packed packages from DIR instead of npm
  -h, --help            show this help

Templates:
${names.map(name => `  ${name.padEnd(8)}${templates[name]}`).join('\n')}
`

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof CreateError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}

async function main(args: string[]): Promise<number> {
  const options = readArguments(args)
  if (typeof options === 'string') {
    process.stderr.write(`${options}\n\n${usage}`)
    return 2
  }
  if (options.help) {
    process.stdout.write(usage)
    return 0
  }
  const folder = options.folder ?? (await ask('Project folder', 'argot-app'))
  const template = options.template ?? (await askTemplate())
  if (folder === undefined || template === undefined) {
    process.stderr.write(`Choose a folder and a template.\n\n${usage}`)
    return 2
  }
  createProject(folder, template, options.packages)
  const start = template === 'server' ? 'npm start' : 'npm run dev'
  process.stdout.write(`Created ${folder} (${templates[template]}).\n\n  cd ${folder}\n  npm install\n  ${start}\n`)
  return 0
}

interface Options {
  help: boolean
  folder?: string
  template?: TemplateName
  packages?: string
}

/** The options, or a sentence about what is wrong with them. */
function readArguments(args: string[]): Options | string {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        template: { type: 'string', short: 't' },
        packages: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    const [folder] = positionals
    if (positionals.length > 1) return `Choose one folder, not ${positionals.length}.`
    const { template, packages } = values
    if (template !== undefined && !isTemplate(template)) return `There is no template "${template}".`
    return {
      help: values.help === true,
      ...(folder !== undefined && { folder }),
      ...(template !== undefined && { template }),
      ...(packages !== undefined && { packages }),
    }
  } catch (error) {
    return (error as Error).message
  }
}

async function askTemplate(): Promise<TemplateName | undefined> {
  if (process.stdin.isTTY) {
    process.stdout.write(`\n${names.map((name, index) => `  ${index + 1}  ${templates[name]} (${name})`).join('\n')}\n`)
  }
  for (;;) {
    const answer = await ask('Template', '1')
    if (answer === undefined) return undefined
    const template = names[Number(answer) - 1] ?? answer
    if (isTemplate(template)) return template
    process.stdout.write(`Type a number from 1 to ${names.length}, or a name.\n`)
  }
}

/** Returns `undefined` if no one can answer. */
async function ask(question: string, preset: string): Promise<string | undefined> {
  if (!process.stdin.isTTY) return undefined
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  try {
    const answer = (await lines.question(`${question} (${preset}): `)).trim()
    return answer === '' ? preset : answer
  } finally {
    lines.close()
  }
}
