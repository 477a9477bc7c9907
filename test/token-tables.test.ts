import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { syntaxes } from '@argot/core/syntax'
import { expect, test } from 'vitest'
import { callTable, countedCalls, tokenTable, wrapperTable } from '../bench/syntax-tokens.ts'
import { root } from './guards/workspace.ts'

const short = ['native', 'xml', 'caret', 'callout', 'fence', 'hermes', 'qwen3-coder', 'invoke', 'mistral']
const tables: Readonly<Record<string, () => string>> = {
  short: () => tokenTable(short),
  wrapper: wrapperTable,
  calls: callTable,
}

/** `UPDATE=1` writes the tables anew. */
test.each(['docs/syntaxes/README.md', 'docs/syntaxes/tokens.md'])(
  'the tokens in %s are what tokenizers count',
  file => {
    const path = join(root, file)
    const page = readFileSync(path, 'utf8')
    const measured = page.replace(
      /<!-- tokens: (\w+) -->[\s\S]*?<!-- \/tokens -->/g,
      (_, name: string) => `<!-- tokens: ${name} -->\n${tables[name]!()}\n<!-- /tokens -->`,
    )
    if (process.env.UPDATE === '1') writeFileSync(path, measured)
    else expect(page).toBe(measured)
  },
)

test('the sentences about them are true, and every syntax has its row', () => {
  const page = readFileSync(join(root, 'docs/syntaxes/tokens.md'), 'utf8')
  const wrapper = (name: string): string => new RegExp(`^\\| ${name} +\\| +(\\d+)`, 'm').exec(page)![1]!
  expect(page).toContain(`\`caret\` adds\n**${wrapper('caret')}** tokens and \`xml\` **${wrapper('xml')}**`)
  expect(page).toContain(`The ${countedCalls()} calls that the tasks`)
  for (const name of syntaxes.names()) expect(page.match(new RegExp(`^\\| ${name} `, 'gm'))).toHaveLength(2)
})
