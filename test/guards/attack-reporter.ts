import { basename } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

/** What the tests of a file attack. A file that is not named here is called by its name. */
const areas: Readonly<Record<string, string>> = {
  approvals: 'approvals: denied, edited, unanswered',
  commands: 'programs: arguments, time, children',
  'key-cuts': 'keys at cuts and in other forms',
  keys: 'keys in outputs, errors and previews',
  limits: 'endless output, calls and texts',
  names: 'names such as __proto__',
  paths: 'paths out of the folders',
  processes: 'programs without a sandbox: keys of the parent, strays',
  protected: 'files that other programs obey',
  provenance: 'calls that no model made',
  providers: 'hostile providers',
  removal: 'deleted documents: links, hostile names, shared payloads',
  rights: 'rights of documents and projects',
  safety: 'the same through the command',
  sandbox: 'the sandbox',
  slow: 'inputs that take long',
  swapped: 'folders swapped with links',
  hostile: 'transcripts that are hard to convert',
}

/** Prints, for each area, how many attacks were tried and how many of them were held off. */
export default class AttackReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = modules.map(module => {
      const tests = [...module.children.allTests()]
      const tried = tests.filter(test => test.result().state !== 'skipped')
      const held = tried.filter(test => test.result().state === 'passed')
      const name = basename(module.moduleId, '.test.ts')
      return {
        area: areas[name] ?? name,
        tried: tried.length,
        held: held.length,
        left: tests.length - tried.length,
        failed: tried.filter(test => test.result().state === 'failed'),
      }
    })
    for (const { area, tried, held, left } of rows.sort((a, b) => a.area.localeCompare(b.area)))
      console.log(`${area}: tried ${tried}, held ${held}${left > 0 ? ` (not tried: ${left})` : ''}`)
    const failed = rows.flatMap(row => row.failed)
    for (const test of failed) console.log(`  not held: ${test.fullName}`)
    const sum = (key: 'tried' | 'held'): number => rows.reduce((total, row) => total + row[key], 0)
    console.log(`all: tried ${sum('tried')}, held ${sum('held')}`)
  }
}
