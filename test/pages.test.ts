import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { checkChatMd } from '@argot/core/chatmd'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from './guards/workspace.ts'
import { createPackedProject } from './pages/packed-project.ts'
import { type PageBlock, pages, readPages } from './pages/page-blocks.ts'
import { runScript, serveFolder } from './pages/shell.ts'

// Every block of the README and of docs/ that looks as if it could be run is run, in a project that has the packed packages.

const blocks = readPages()
const place = mkdtempSync(join(tmpdir(), 'argot-pages-'))
const home = join(place, 'home')
let project = ''

const withFate = (...fates: PageBlock['fate'][]): PageBlock[] => blocks.filter(({ fate }) => fates.includes(fate))
const isCode = ({ language }: PageBlock): boolean => /^(?:tsx?|js)$/.test(language)
const compiled = withFate('run', 'render', 'module', 'file', 'fragment', 'not run').filter(isCode)
const commands = withFate('run').filter(({ language }) => language === 'sh')

/** The page's own folder in the project: the files that it shows are there, and its commands are run there. */
function folderOf({ page }: Pick<PageBlock, 'page'>): string {
  return join(project, 'pages', page.replace(/\.md$/, '').replaceAll('/', '-'))
}

/** A component is the `App.tsx` of a folder, as in the template of Vite. */
function pathOf(block: PageBlock): string {
  if (block.file !== undefined) return join(folderOf(block), block.file)
  const name = `block-${block.line}`
  if (block.fate === 'render') return join(folderOf(block), name, 'App.tsx')
  return join(folderOf(block), `${name}.${block.language === 'js' ? 'ts' : block.language}`)
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** `given: PATH` copies a file or a folder of the repository that the page tells the reader to take. */
function copyGiven(block: PageBlock): void {
  const { kind, reason } = block.mark ?? { kind: '', reason: '' }
  if (kind !== 'given' || !existsSync(join(root, reason))) return
  const name = block.language === 'sh' ? reason : basename(reason)
  cpSync(join(root, reason), join(folderOf(block), name), { recursive: true })
}

/** The packages that a text imports, without ours and those of Node. */
function importedPackages(code: string): string[] {
  return [...code.matchAll(/(?:from|import\(?) ?'([^'.][^']*)'/g)]
    .map(([, name]) => /^(?:@[^/]+\/)?[^/]+/.exec(name!)![0])
    .filter(name => !name.startsWith('@argot/') && !name.startsWith('node:'))
}

beforeAll(() => {
  // `npm run test:dist` has built them.
  if (process.env.ARGOT_TESTS !== 'dist') execFileSync('npm', ['run', '-s', 'build'], { cwd: root, stdio: 'pipe' })
  const others = compiled.flatMap(({ code, mark }) => importedPackages((mark?.around ?? '') + code))
  project = createPackedProject(place, others)
  mkdirSync(home)
  for (const page of pages) write(join(folderOf({ page }), 'package.json'), '{ "private": true, "type": "module" }\n')
  for (const block of compiled) write(pathOf(block), (block.mark?.around ?? '') + block.code)
  for (const block of withFate('read')) if (block.file !== undefined) write(pathOf(block), block.code)
  blocks.forEach(copyGiven)
}, 300_000)

afterAll(() => rmSync(place, { recursive: true, force: true }))

describe('a block', () => {
  test('has a language that says what becomes of it: `text` if it is nothing to run', () => {
    expect(withFate('unknown').map(one => `${one.place} has the language "${one.language}"`)).toEqual([])
  })

  test('that is not run, or is a fragment, says why, and is counted', () => {
    const marked = blocks.filter(({ mark }) => mark !== undefined)
    const kinds = new Set(['given', 'fragment', 'not run', 'run by'])
    const wrong = marked.filter(({ mark }) => !kinds.has(mark!.kind) || mark!.reason === '')
    expect(wrong.map(({ place }) => place)).toEqual([])
    // A change of these numbers is for a reviewer to see.
    expect({ fragments: withFate('fragment').length, notRun: withFate('not run').length }).toEqual({
      fragments: 7,
      notRun: 25,
    })
  })

  test('that another test runs is on a page that this test reads', () => {
    const lost = withFate('elsewhere').filter(({ test, page }) => {
      const path = join(root, test!)
      return !existsSync(path) || !readFileSync(path, 'utf8').includes(basename(page))
    })
    expect(lost.map(({ place, test }) => `${place}: ${test}`)).toEqual([])
  })

  test('that is the component of an application exports it as the template imports it', () => {
    const named = compiled.filter(({ code }) => /export (?:const|function) App\b/.test(code))
    expect(named.map(({ place }) => place)).toEqual([])
  })

  test('imports only what its page, or the README, installs', () => {
    const linesOf = (page: string): string[] =>
      readFileSync(join(root, page), 'utf8').match(/npm (?:un)?install [^`\n]*/g) ?? []
    const missing = compiled.flatMap(({ page, place, code }) => {
      const lines = [...linesOf(page), ...(page.startsWith('packages/') ? [] : linesOf('README.md'))]
      const installed = new Set(['react', 'react-dom', ...lines.flatMap(line => line.split(/\s+/))])
      return importedPackages(code)
        .filter(name => !installed.has(name))
        .map(name => `${place} imports ${name}`)
    })
    expect(missing).toEqual([])
  })

  test('of JSON can be read, and one of ChatMD is without mistakes', () => {
    const wrong = withFate('read').flatMap(({ page, place, language, code }) => {
      if (language === 'json') return isJson(code) ? [] : [place]
      // That page shows mistakes too, and `core/test/chatmd/docs.test.ts` reads it.
      if (page === 'docs/chatmd.md') return []
      const errors = checkChatMd(code).filter(one => one.severity === 'error')
      return errors.map(one => `${place} ${one.code} ${one.message}`)
    })
    expect(wrong).toEqual([])
  })
})

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined
  } catch {
    return false
  }
}

/** As `npm create vite@latest -- --template react-ts` writes them, with the types of Node for programs. */
const compilerOptions = {
  ...{ target: 'es2023', lib: ['ES2023', 'DOM'], module: 'esnext', types: ['vite/client', 'node'], skipLibCheck: true },
  ...{ moduleResolution: 'bundler', allowImportingTsExtensions: true, verbatimModuleSyntax: true, noEmit: true },
  ...{ moduleDetection: 'force', jsx: 'react-jsx', strict: true, noUnusedLocals: true, noUnusedParameters: true },
  ...{ erasableSyntaxOnly: true, noFallthroughCasesInSwitch: true, noUncheckedSideEffectImports: true },
}

const main = `import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import App from './App.tsx'

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
`

test('every block of code compiles in a new project of Vite, with its strict settings', () => {
  for (const block of withFate('render')) write(join(dirname(pathOf(block)), 'main.tsx'), main)
  write(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['pages'], exclude: ['**/examples'] }),
  )
  const args = ['-p', project, '--pretty', 'false']
  const { stdout } = spawnSync(join(project, 'node_modules/.bin/tsc'), args, { cwd: project, encoding: 'utf8' })
  const errors = stdout
    .split('\n')
    .filter(line => line !== '')
    // A page may name what it does not use; the component of an application may not.
    .filter(line => !/error TS(?:6133|6192|6196|6198)/.test(line) || line.includes('/App.tsx'))
  expect(errors).toEqual([])
})

test('every component is built by Vite and draws something', () => {
  const components = withFate('render')
  const render = `import { renderToString } from 'react-dom/server'
import App from './App.tsx'

export const html = () => renderToString(<App />)
`
  const inputs = components.map(block => join(dirname(pathOf(block)), 'render.tsx'))
  for (const path of inputs) write(path, render)
  const input = Object.fromEntries(inputs.map((path, index) => [`c${index}`, path]))
  const options = { logLevel: 'warn', build: { ssr: true, outDir: 'rendered', rollupOptions: { input } } }
  write(
    join(project, 'vite.config.mjs'),
    `import react from '@vitejs/plugin-react'\nexport default { ...${JSON.stringify(options)}, plugins: [react()] }\n`,
  )
  execFileSync(join(project, 'node_modules/.bin/vite'), ['build'], { cwd: project, stdio: 'pipe' })
  const names = Object.keys(input).map(name => `./rendered/${name}.js`)
  write(
    join(project, 'render.mjs'),
    `const all = []
for (const name of ${JSON.stringify(names)}) all.push((await import(name)).html())
console.log(JSON.stringify(all))
process.exit(0)
`,
  )
  const stdout = execFileSync(process.execPath, ['render.mjs'], { cwd: project, encoding: 'utf8' })
  const drawn = JSON.parse(stdout) as string[]
  // A list of messages is empty at first.
  const empty = components.filter(({ code }, index) => !drawn[index]?.startsWith('<') && !code.includes('.map('))
  expect(empty.map(({ place }) => place)).toEqual([])
})

/** Nothing of the developer's machine: no keys, no colours, and no way to the network. */
function environment(): NodeJS.ProcessEnv {
  const path = `${join(project, 'node_modules/.bin')}:${process.env.PATH}`
  const proxy = 'http://127.0.0.1:9'
  return {
    PATH: path,
    HOME: home,
    NO_COLOR: '1',
    CI: '1',
    TMPDIR: place,
    https_proxy: proxy,
    http_proxy: proxy,
    no_proxy: '127.0.0.1',
  }
}

describe('every program', () => {
  const programs = withFate('run').filter(isCode)
  let results: { place: string; output: string; error?: string }[] = []

  beforeAll(async () => {
    const outdir = join(project, 'built')
    await build({
      ...{ entryPoints: programs.map(pathOf), outbase: project, outdir, outExtension: { '.js': '.mjs' } },
      ...{ bundle: true, packages: 'external', platform: 'node', format: 'esm', logLevel: 'silent' },
    })
    const list = programs.map(block => ({
      place: block.place,
      folder: folderOf(block),
      file: join(
        outdir,
        pathOf(block)
          .slice(project.length)
          .replace(/\.\w+$/, '.mjs'),
      ),
    }))
    write(join(project, 'list.json'), JSON.stringify(list))
    const report = join(project, 'report.json')
    const args = [join(root, 'test/pages/run-programs.mjs'), join(project, 'list.json'), report]
    const { stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env: environment(), timeout: 250_000 })
    if (!existsSync(report)) throw new Error(stderr)
    results = JSON.parse(readFileSync(report, 'utf8')) as typeof results
  }, 300_000)

  test.each(programs)('runs: $place', ({ place, example, code }) => {
    const { output, error } = results.find(one => one.place === place)!
    expect(error).toBeUndefined()
    const expected = example === undefined ? '' : join(root, example.replace(/\.ts$/, '.out.txt'))
    if (/console\.log|stdout\.write/.test(code)) expect(output).not.toBe('')
    if (existsSync(expected)) expect(output).toBe(readFileSync(expected, 'utf8'))
  })
})

test.each([...new Set(commands.map(({ page }) => page))])(
  'the commands of %s run, from the top to the end',
  async page => {
    const folder = folderOf({ page })
    const script = commands
      .filter(one => one.page === page)
      .map(({ place, code, mark }) => `echo '#### ${place}' >&2\n${mark?.around ?? ''}${code}`)
      .join('')
    const argot = join(project, 'node_modules/.bin/argot')
    const server = script.includes('localhost:4176') ? await serveFolder(argot, folder, environment()) : undefined
    const text = script.replaceAll('localhost:4176', server?.address ?? '')
    const { status, stdout, stderr } = await runScript(text, folder, environment())
    server?.stop()
    expect(status === 0 ? '' : `${stdout.slice(-2000)}\n${stderr.slice(-2000)}`).toBe('')
  },
)
