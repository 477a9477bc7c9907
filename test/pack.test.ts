import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { codeBlocks } from './guards/code-blocks.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const packages = {
  '@argot/core': 'core',
  '@argot/agent': 'agent',
  '@argot/server': 'server',
  '@argot/postgres': 'postgres',
  '@argot/cli': 'cli',
  '@argot/react': 'react',
}
/** In kB, compressed. Raise a limit only for something that is worth the download. */
const sizeLimits: Record<keyof typeof packages, number> = {
  '@argot/core': 550,
  '@argot/agent': 700,
  '@argot/server': 1_100,
  '@argot/postgres': 100,
  '@argot/cli': 3_300,
  '@argot/react': 350,
}
const names = Object.keys(packages) as (keyof typeof packages)[]
/** What a project of TypeScript and React brings itself, in the versions that are used here. */
const tools = [
  'typescript',
  '@types/node',
  '@types/react',
  '@types/react-dom',
  'react',
  'react-dom',
  '@ai-sdk/provider',
  'zod',
]
const place = mkdtempSync(join(tmpdir(), 'argot-pack-'))
/** An empty folder of somebody who has never seen the repository. */
const project = join(place, 'project')
const elsewhere = join(place, 'elsewhere')
const env = { PATH: process.env.PATH ?? '', HOME: place }
const tarballs = new Map<string, string>()

interface Manifest {
  version: string
  license?: string
  repository?: { url?: string; directory?: string }
  description?: string
  keywords?: string[]
  bin?: Record<string, string>
  exports: Record<string, string | Record<string, string>>
  dependencies?: Record<string, string>
}

/** Runs a program to its end, and ends it when that takes longer than minutes: a test that waits for ever holds all others. */
function run(command: string, args: readonly string[], cwd: string): string {
  const limits = { timeout: 300_000, killSignal: 'SIGKILL' } as const
  return execFileSync(command, [...args], { cwd, encoding: 'utf8', stdio: 'pipe', ...limits })
}

function install(cwd: string, ...args: string[]): void {
  run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...args], cwd)
}

/** A command, with nothing of the developer's in its environment. */
function start(program: string, args: readonly string[], cwd = elsewhere): string {
  return execFileSync(program, [...args], { cwd, env, encoding: 'utf8', stdio: 'pipe', timeout: 60_000 })
}

function node(program: string): string {
  writeFileSync(join(project, 'program.mjs'), program)
  return start(process.execPath, ['program.mjs'], project)
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

function readTarball(name: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(tarballs.get(name)!))
}

function installedVersion(name: string): string {
  return readManifest(join(root, 'node_modules', name)).version
}

// One build and one install for all: what is packed is what people get.
beforeAll(() => {
  // `npm run test:dist` has built them.
  if (process.env.ARGOT_TESTS !== 'dist') run('npm', ['run', '-s', 'build'], root)
  for (const [name, folder] of Object.entries(packages)) {
    const list = run('npm', ['pack', '--json', '--pack-destination', place], join(root, 'packages', folder))
    tarballs.set(name, join(place, (JSON.parse(list) as { filename: string }[])[0]!.filename))
  }
  const packed = run('npm', ['pack', '--json', '--pack-destination', place], join(root, 'packages/create-argot'))
  tarballs.set('create-argot', join(place, (JSON.parse(packed) as { filename: string }[])[0]!.filename))
  for (const folder of [project, elsewhere]) mkdirSync(folder)
  writeFileSync(join(project, 'package.json'), '{ "name": "mine", "private": true, "type": "module" }')
  install(project, ...names.map(name => tarballs.get(name)!), ...tools.map(name => `${name}@${installedVersion(name)}`))
}, 900_000)

afterAll(() => rmSync(place, { recursive: true, force: true }))

// These are the ways of docs/command.md.
describe('the command', () => {
  const { version } = readManifest(join(root, 'packages/cli'))

  test('of a project says its version, which is that of its package, and its help; with npx too', () => {
    const argot = join(project, 'node_modules/.bin/argot')
    expect(start(argot, ['--version'])).toBe(`${version}\n`)
    expect(start(argot, ['--help'])).toContain('Usage: argot')
    expect(start('npx', ['--no-install', 'argot', '--version'], project)).toBe(`${version}\n`)
  })

  test('brings the page and the playground', () => {
    const folders = ['cli/dist/page', 'server/page'].map(path => join(project, 'node_modules/@argot', path))
    const pages = folders.flatMap(folder => [join(folder, 'index.html'), join(folder, 'playground/index.html')])
    expect(pages.filter(page => !existsSync(page))).toEqual([])
  })

  test('brings the manual, without the pages and pictures that nobody reads there', () => {
    expect(start(join(project, 'node_modules/.bin/argot'), ['manual', 'models'])).toMatch(/^# Models/)
    const names = readdirSync(join(project, 'node_modules/@argot/cli/dist/manual'))
    expect(names.filter(name => !/\.md$|^(?:react|syntaxes)$/.test(name))).toEqual([])
  })

  test('runs with npx straight from its file', () => {
    const args = ['--yes', '--package', tarballs.get('@argot/cli')!, '--', 'argot', '--version']
    expect(start('npx', args, elsewhere)).toBe(`${version}\n`)
  })

  test('is one file to install for everybody on this machine', () => {
    const prefix = join(place, 'global')
    mkdirSync(prefix)
    install(elsewhere, '--global', '--prefix', prefix, tarballs.get('@argot/cli')!)
    expect(start(join(prefix, 'bin/argot'), ['--version'])).toBe(`${version}\n`)
    expect(start(join(prefix, 'bin/argot'), ['ask', 'Hello', '--model', 'demo'])).toContain('demo model')
  })

  test('runs a document with the demo model, in any folder', () => {
    const argot = (args: readonly string[], cwd = elsewhere): string =>
      start(join(project, 'node_modules/.bin/argot'), args, cwd)
    const folder = join(elsewhere, 'work')
    argot(['init', folder])
    expect(argot(['run', 'chat.chatmd'], folder)).toContain('Here is what the tools returned')
    expect(readFileSync(join(folder, 'chat.chatmd'), 'utf8')).toContain('<assistant')
    expect(argot(['ask', 'Hello', '--tools', 'read_dir'], folder)).toContain('`read_dir` returned')
    expect(argot(['convert', 'chat.chatmd', '--to', 'jsonl'], folder)).toContain('tool-input-available')
  })
})

describe.each(names)('%s as it is packed', name => {
  const folder = join(project, 'node_modules', name)

  test('brings its licence, its README and its types, says where it is from, and depends on real versions', () => {
    const manifest = readManifest(folder)
    expect(readFileSync(join(folder, 'LICENSE'), 'utf8')).toContain('MIT')
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toContain(`# ${name}`)
    expect(manifest).toMatchObject({
      license: 'MIT',
      keywords: expect.any(Array),
      description: expect.any(String),
      repository: { url: expect.any(String), directory: `packages/${packages[name]}` },
    })
    for (const [other, version] of Object.entries(manifest.dependencies ?? {})) {
      expect(`${other} ${version}`).toMatch(/ [\^~]?\d+\.\d+\.\d+$/)
      const folder = packages[other as keyof typeof packages] as string | undefined
      if (folder !== undefined) expect(version).toBe(`^${readManifest(join(root, 'packages', folder)).version}`)
    }
  })

  test('has nothing that publint finds wrong', async () => {
    const { messages, pkg } = await publint({ pack: { tarball: readTarball(name).buffer }, strict: true })
    expect(messages.map(message => formatMessage(message, pkg, { color: false }))).toEqual([])
  })

  // Argot is ESM only: what CommonJS and Node 10 would resolve is not asked.
  test('has types that every ESM resolution reads', async () => {
    const analysis = await checkPackage(createPackageFromTarballData(readTarball(name)))
    const problems = 'problems' in analysis ? analysis.problems : undefined
    const resolutions = ['node16-esm', 'bundler']
    expect(
      problems?.filter(problem => !('resolutionKind' in problem) || resolutions.includes(problem.resolutionKind)),
    ).toEqual([])
  })

  test('is no larger than it was', () => {
    expect(readTarball(name).length / 1000).toBeLessThan(sizeLimits[name])
  })

  test('has every file that it exports', () => {
    const { exports, bin = {} } = readManifest(folder)
    const paths = Object.values(exports).flatMap(entry =>
      typeof entry === 'string'
        ? [entry]
        : Object.entries(entry).flatMap(([on, path]) => (on === '@argot/source' ? [] : [path])),
    )
    expect([...paths, ...Object.values(bin)].filter(path => !existsSync(join(folder, path)))).toEqual([])
  })

  test('has no file that no one can use: no tests, nothing of a build, no second copy of the source', () => {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter(path => !path.slice(folder.length).includes('/node_modules/'))
    expect(files.filter(path => /\/test\/|\.test\.tsx?$|\.tsbuildinfo$/.test(path.slice(folder.length)))).toEqual([])
    const copies = files.filter(path => /(?<!\.d)\.tsx?$|\.map$/.test(path))
    expect(copies).toEqual([])
  })

  test('does what the example of its README says, with plain Node', () => {
    const programs = codeBlocks(readFileSync(join(folder, 'README.md'), 'utf8')).filter(
      ({ language }) => language === 'js',
    )
    expect(programs).toHaveLength(name === '@argot/cli' ? 0 : 1)
    // A server would serve until somebody ends it.
    const end = name === '@argot/server' || name === '@argot/postgres' ? '\nprocess.exit(0)' : ''
    for (const { code } of programs) expect(node(code + end).trim()).not.toBe('')
  })
})

/** The code of every README, as files of the project; those in JavaScript must be right in TypeScript too. */
function readmeFiles(): string[] {
  const pages = ['README.md', ...Object.values(packages).map(folder => `packages/${folder}/README.md`)]
  return pages.flatMap((page, index) =>
    codeBlocks(readFileSync(join(root, page), 'utf8'))
      .filter(({ language }) => /^[jt]sx?$/.test(language))
      .map(({ language, line, code }) => {
        const name = `readme-${index}-${line}.${language.endsWith('x') ? 'tsx' : 'ts'}`
        writeFileSync(join(project, name), code)
        return name
      }),
  )
}

/** Everything that can be imported, and something done with each package, as strict TypeScript takes it. */
const consumer = `
import { accumulate, type Message, toolCalls, userMessage } from '@argot/core'
import type { MessageChange } from '@argot/core/stream'
import type { ChatMessage as Named, ChatToolInvocation } from '@argot/core/types'
import { textSyntaxMiddleware, toResponse } from '@argot/core/ai-sdk'
import { parseMarkdownIntoChunks } from '@argot/core/callout'
import { checkChatMd, parseChatMd } from '@argot/core/chatmd'
import { readTranscript } from '@argot/core/convert'
import { WireAdapter } from '@argot/core/stream'
import { parse, syntaxes } from '@argot/core/syntax'
import { testConformance } from '@argot/core/testing'
import { createAgent, defineTool, runDocument } from '@argot/agent'
import { testStore } from '@argot/agent/testing'
import { createApprovals } from '@argot/agent/workshop'
import { main } from '@argot/cli'
import { migrate, postgresQueue, postgresStore } from '@argot/postgres'
import { ChatBox, functionAdapter } from '@argot/react'
import '@argot/react/styles.css'
import { arabic } from '@argot/react/locales/ar'
import { german } from '@argot/react/locales/de'
import { japanese } from '@argot/react/locales/ja'
import type { ChatMessage } from '@argot/react/types'
import { createServer, listen } from '@argot/server'
import type { Api } from '@argot/server/api'
import { createProxy } from '@argot/server/proxy'
import { testQueue } from '@argot/server/testing'
import { createElement } from 'react'

const weather = defineTool<{ city: string }>({
  name: 'weather',
  description: 'Tells how the weather is.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  effect: 'read',
  execute: ({ city }) => city.toUpperCase(),
})
export async function all(): Promise<Message | undefined> {
  const run = createAgent({ model: 'demo', tools: [weather] }).run([userMessage('Hello')])
  const response: Response = toResponse(run)
  const { message } = await run.result
  const names: string[] = message === undefined ? [] : toolCalls(message).map(call => call.toolName)
  void [response, names, accumulate().message, parse(syntaxes.get('xml'), ''), textSyntaxMiddleware('xml')]
  void [parseMarkdownIntoChunks, checkChatMd(''), parseChatMd('').document, readTranscript, testConformance]
  void [WireAdapter, runDocument, testStore, createApprovals, main, createServer, createProxy, listen, testQueue]
  void [migrate, postgresQueue, postgresStore, arabic, german, japanese]
  return message
}
declare module '@argot/core/types' {
  interface ChatToolDefinitionMap {
    weather: { input: { city: string }; output: string }
  }
}
export const city = (call: ChatToolInvocation<'weather'>): string | undefined => call.input?.city
export const kind = (change: MessageChange): string => change.type
export const state = (run: Api['getRun']['answer']): string => run.state
export const named = (message: Named): ChatMessage => message
export const page = createElement(ChatBox, { adapter: functionAdapter(async () => 'Hello') })
`

test('the sources have no unused file, and import only what their package names', () => {
  const kinds = 'files,dependencies,unlisted,unresolved'
  const args = ['--no-progress', '--production', '--include', kinds]
  const { stdout } = spawnSync(join(root, 'node_modules/.bin/knip'), args, { cwd: root, encoding: 'utf8' })
  expect(stdout.trim()).toBe('')
})

test.each([
  ['nodenext', { module: 'nodenext', moduleResolution: 'nodenext' }],
  ['bundler', { module: 'esnext', moduleResolution: 'bundler' }],
])(
  'strict TypeScript compiles against all of them and the code of every README, the types of their packages included: %s',
  (name, resolution) => {
    writeFileSync(join(project, 'consumer.ts'), consumer)
    const compilerOptions = {
      ...{
        ...resolution,
        target: 'es2023',
        lib: ['es2023', 'dom', 'dom.iterable', 'esnext.disposable'],
        jsx: 'react-jsx',
      },
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false },
      ...{ noEmit: true, types: ['node'] },
    }
    const config = join(project, `tsconfig.${name}.json`)
    writeFileSync(config, JSON.stringify({ compilerOptions, files: ['consumer.ts', ...readmeFiles()] }))
    let said = ''
    try {
      run(join(project, 'node_modules/.bin/tsc'), ['-p', config], project)
    } catch (error) {
      said = (error as { stdout: string }).stdout
    }
    expect(said).toBe('')
  },
)

// These are the commands of docs/next-from-zero.md and docs/vite-from-zero.md.
describe('npm create argot', () => {
  /** Runs the packed command in an empty folder, as `npm create` does. */
  function create(...args: string[]): string {
    const command = ['--yes', '--package', tarballs.get('create-argot')!, '--', 'create-argot', ...args]
    return start('npx', command, project)
  }

  /** Starts a program of the template, and returns the address that it prints. */
  async function serve(args: readonly string[], cwd: string): Promise<string> {
    const child = spawn(process.execPath, [...args], {
      cwd,
      env: { ...env, PORT: '0', NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let output = ''
    for await (const bytes of child.stdout) {
      output += String(bytes)
      const address = /http:\/\/[\w.]+:\d+/.exec(output)?.[0]
      if (address !== undefined) return address
    }
    throw new Error(`The program ended: ${output}${String(child.stderr.read())}`)
  }

  async function chat(address: string): Promise<string> {
    const parts = [{ type: 'text', text: 'Use weather and save_note.' }]
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [{ id: '1', role: 'user', parts }] }),
    })
    return response.text()
  }

  test('the server template answers over HTTP, and a call that changes something waits', async () => {
    expect(create('made-server', '--template', 'server', '--packages', place)).toContain('npm start')
    const folder = join(project, 'made-server')
    expect(readManifest(folder).dependencies).toMatchObject({ '@argot/agent': `file:${tarballs.get('@argot/agent')}` })
    const stream = await chat(await serve(['server.js'], folder))
    expect(stream).toContain('"output":{"city":"Berlin","degrees":22,"sky":"sunny"}')
    expect(stream).toContain('"type":"tool-approval-request"')
    expect(stream).not.toContain('Saved:')
  })

  test('the Vite template builds, shows its page, and answers', async () => {
    create('made-vite', '--template', 'vite')
    const folder = join(project, 'made-vite')
    for (const name of ['vite', '@vitejs/plugin-react']) {
      const link = join(project, 'node_modules', name)
      mkdirSync(dirname(link), { recursive: true })
      symlinkSync(join(root, 'node_modules', name), link)
    }
    const vite = join(root, 'node_modules/vite/bin/vite.js')
    run(join(project, 'node_modules/.bin/tsc'), [], folder)
    run(process.execPath, [vite, 'build', '--logLevel', 'error'], folder)
    const address = await serve([vite, 'preview', '--port', '0', '--host', '127.0.0.1'], folder)
    expect(await (await fetch(address)).text()).toContain('<div id="root">')
    expect(await chat(`${address}/api/chat`)).toContain('"type":"tool-approval-request"')
  })

  test('the Next template uses the packages of this release; npm run test:apps builds it', () => {
    create('made-next', '--template', 'next')
    const release = `^${readManifest(join(root, 'packages/agent')).version}`
    expect(readManifest(join(project, 'made-next')).dependencies).toMatchObject({
      next: expect.any(String),
      ...{ '@argot/agent': release, '@argot/core': release, '@argot/react': release },
    })
    expect(existsSync(join(project, 'made-next/.gitignore'))).toBe(true)
    expect(existsSync(join(project, 'made-next/agent.ts'))).toBe(true)
  })

  test.each([
    [['made-server', '--template', 'server'], 1, 'made-server is not empty.'],
    [['other', '--template', 'vue'], 2, 'There is no template "vue".'],
    [['one', 'two', '--template', 'vite'], 2, 'Choose one folder'],
    [['other', '--template', 'vite', '--packages', '/'], 1, 'is missing. Pack the packages'],
    [['other', '--flag'], 2, "Unknown option '--flag'"],
    [['other'], 2, 'Choose a folder and a template.'],
  ])('%j is refused with a sentence', (args, status, message) => {
    let failure: { status?: number; stderr?: string } = {}
    try {
      create(...args)
    } catch (error) {
      failure = error as typeof failure
    }
    expect(failure.status).toBe(status)
    expect(failure.stderr).toContain(message)
    expect(existsSync(join(project, 'other'))).toBe(false)
  })
})
