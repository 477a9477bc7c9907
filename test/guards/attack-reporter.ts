import { basename } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

/** What the tests of a file attack. A file that is not named here is called by its name. */
const areas: Readonly<Record<string, string>> = {
  always: '"always" and earlier answers: other servers, changed tools, other names',
  addresses: 'the server: spellings of addresses',
  approvals: 'approvals: denied, edited, unanswered',
  bodies: 'the server: bodies before and after the token',
  commands: 'programs: arguments, time, children',
  examples: 'calls in comments, `<pre>` and indented code',
  'key-cuts': 'keys at cuts and in other forms',
  keys: 'keys in outputs, errors and previews',
  'stored-keys': 'stored keys: file tools, imports, links, the sandbox, outputs',
  'html-file': 'exported pages: scripts, styles, links, pictures',
  'large-documents': 'the server: documents that are too long',
  limits: 'endless output, calls and texts',
  'mcp-clients': 'argot mcp serve: hostile clients',
  'names-of-files-and-programs': 'rules: hard links, links to programs, programs inside programs',
  'long-logs': 'logs of any length',
  names: 'names such as __proto__',
  'outside-files': 'the server: files outside of its folder',
  paths: 'paths out of the folders',
  processes: 'programs without a sandbox: keys of the parent, strays',
  protected: 'files that other programs obey',
  provenance: 'calls that no model made',
  providers: 'hostile providers',
  proxy: 'the proxy: addresses, other sites, tokens, keys, hostile requests, endless replies',
  removal: 'deleted documents: links, hostile names, shared payloads',
  rights: 'rights of documents and projects',
  'changed-files': 'files that change while an approval waits',
  'sent-keys': 'keys sent to the server',
  safety: 'the same through the command',
  sandbox: 'the sandbox',
  sidecars: 'sidecars: copied, moved, repeated and invented records',
  'send-keys': 'the server: idempotency keys',
  'sandbox-begun': 'the sandbox: programs that pretend not to have begun',
  'sandbox-folders': 'the sandbox: folders that become ways out',
  'sandbox-kernel': 'the sandbox: settings of the kernel, as root and not',
  'sandbox-protected': 'the sandbox: protection used up or moved away',
  'sandbox-race': 'the sandbox: names swapped during a start',
  slow: 'inputs that take long',
  swapped: 'folders swapped with links',
  'endless-replies': 'replies, pings, progress and runs without an end; uncounted tokens',
  'forged-questions': 'the server: questions of strangers',
  hostile: 'transcripts that are hard to convert',
  'exported-links': 'links of exported pages, fragments of addresses',
  'forged-facts': 'facts that providers and documents make up',
  'judged-card': 'cards: everything that is judged is shown',
  'judged-question': 'questions in the terminal: everything that is judged is shown',
  'unified-diff': 'texts that look like diffs',
  'visible-text': 'characters that hide',
}

/** Prints, for each area, how many attacks were tried and how many of them were held off. */
export default class AttackReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = modules.map(module => {
      const tests = [...module.children.allTests()]
      const tried = tests.filter(test => test.result().state !== 'skipped')
      const held = tried.filter(test => test.result().state === 'passed')
      const name = basename(module.moduleId).replace(/\.test\.tsx?$/, '')
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
