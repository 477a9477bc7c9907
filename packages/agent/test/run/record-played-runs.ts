import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Played, playedScenarios, playScenario, scenarioDocument } from './played-runs.ts'

/*
 * Wrote `fixtures/runs/*.json`, which `same-as-before.test.ts` reads. They are the truth of commit f98f5b5, and only
 * there does this program run:
 *
 *     npx tsx --conditions=@argot/source packages/agent/test/run/record-played-runs.ts
 *
 * A file that is there is never written again.
 */
const fixtures = fileURLToPath(new URL('../../../../fixtures/runs', import.meta.url))

/** Long lists have a line for each of their items. */
function format({ results, files, logs }: Played): string {
  const object = (entries: [string, string][]): string =>
    `{\n${entries.map(([name, value]) => `${JSON.stringify(name)}: ${value}`).join(',\n')}\n}`
  const lines = Object.entries(logs).map(([name, all]): [string, string] => [
    name,
    `[\n${all.map(line => JSON.stringify(line)).join(',\n')}\n]`,
  ])
  const texts = Object.entries(files).map(([name, text]): [string, string] => [name, JSON.stringify(text)])
  return `${object([
    ['results', JSON.stringify(results)],
    ['files', object(texts)],
    ['logs', object(lines)],
  ])}\n`
}

mkdirSync(fixtures, { recursive: true })
for (const [name, scenario] of Object.entries(playedScenarios)) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'argot-played-')))
  try {
    for (const [file, text] of Object.entries(scenarioDocument(scenario))) writeFileSync(join(folder, file), text)
    const played = await playScenario(folder, scenario)
    writeFileSync(join(fixtures, `${name}.json`), format(played), { flag: 'wx' })
    process.stdout.write(`${name}: ${JSON.stringify(played.results)}\n`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
