// Runs the programs of pages one after the other, in one process, so that the packages are loaded once. Takes the file of a
// JSON list of `{ place, file, folder }`, and writes one of `{ place, output, error }`.
import { readFileSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { startModelServer } from './scripted-server.mjs'

const [list, report] = process.argv.slice(2)
const here = new Set(['localhost', '127.0.0.1', '::1'])
const modelPort = await startModelServer()

// A program reaches this machine and nothing else, and at the port of Ollama a scripted model.
const connect = Socket.prototype.connect
Socket.prototype.connect = function (...args) {
  const options = args.flat()[0] ?? {}
  if (options.path === undefined && !here.has(options.host ?? 'localhost')) {
    throw new Error(`A block may not reach the network: ${options.host}`)
  }
  if (Number(options.port) === 11434) Object.assign(options, { host: '127.0.0.1', port: modelPort })
  return connect.apply(this, args)
}

let output = ''
process.stdout.write = text => {
  output += text
  return true
}
const late = []
process.on('unhandledRejection', error => late.push(error))

const results = []
for (const { place, file, folder } of JSON.parse(readFileSync(list, 'utf8'))) {
  output = ''
  process.chdir(folder)
  try {
    await import(pathToFileURL(file).href)
    await new Promise(resolve => setImmediate(resolve))
  } catch (error) {
    late.push(error)
  }
  const [error] = late.splice(0)
  results.push({ place, output, error: error === undefined ? undefined : inspect(error) })
}
writeFileSync(report, JSON.stringify(results))
// A block may have opened a server.
process.exit(0)
