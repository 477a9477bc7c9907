// `npm start` builds the page and the command if their sources are newer, creates a folder to try things in, and serves
// it. Arguments go to `argot serve`.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const bin = join(root, 'packages/cli/dist/bin.js')
const folder = join(root, '.start')

/** The modification time of a file, or of the newest file in a folder. */
function newest(path) {
  const stats = statSync(path)
  if (!stats.isDirectory()) return stats.mtimeMs
  let time = 0
  for (const name of readdirSync(path)) time = Math.max(time, newest(join(path, name)))
  return time
}

const sources = readdirSync(join(root, 'packages')).map(name => `packages/${name}/src`)
const page = [
  'apps/shared',
  'apps/web/src',
  'apps/web/index.html',
  'apps/web/public',
  'apps/playground/src',
  'apps/playground/index.html',
  'apps/playground/public',
  'packages/react/styles.css',
  'packages/react/card.css',
  'packages/react/card-open.css',
  'packages/react/styles',
  'packages/react/themes',
]
const changed = Math.max(...[...sources, ...page].map(path => newest(join(root, path))))
const pages = ['index.html', 'playground/index.html'].map(name => join(root, 'packages/cli/dist/page', name))
const isBuilt = existsSync(bin) && pages.every(page => existsSync(page)) && statSync(bin).mtimeMs > changed
if (!isBuilt) {
  process.stderr.write('Building the page and the command. This is done once, and again after a change …\n')
  const run = (name, ...args) =>
    execFileSync(process.execPath, [join(root, 'node_modules', name), ...args], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  run('vite/bin/vite.js', 'build', 'apps/web', '--logLevel', 'error')
  run('vite/bin/vite.js', 'build', 'apps/playground', '--logLevel', 'error')
  run('tsx/dist/cli.mjs', 'scripts/build-command.ts')
}
if (!existsSync(folder)) cpSync(join(root, 'samples/start'), folder, { recursive: true })

// In this process, because starting another one takes as long as the command itself.
process.argv = [process.execPath, bin, 'serve', folder, ...process.argv.slice(2)]
await import(pathToFileURL(bin).href)
