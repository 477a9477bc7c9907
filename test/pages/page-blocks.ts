import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CodeBlock, codeBlocks } from '../guards/code-blocks.ts'
import { trackedFiles } from '../guards/tracked-files.ts'
import { root } from '../guards/workspace.ts'

/** What the test does with a block. */
export type Fate =
  /** Programs and commands. */
  | 'run'
  /** The component of an application: built by Vite and drawn. */
  | 'render'
  /** A component that needs props: compiled. */
  | 'module'
  /** A file that other blocks of the page use; code is compiled. */
  | 'file'
  /** A fragment: compiled with what is around it. */
  | 'fragment'
  /** A document or JSON: read. */
  | 'read'
  /** Compiled, and the mark says why it cannot be run. */
  | 'not run'
  /** Run by another test. */
  | 'elsewhere'
  /** Nothing that could be run. */
  | 'shown'
  | 'unknown'

export interface PageBlock extends CodeBlock {
  page: string
  place: string
  fate: Fate
  /** The test that runs it, for the fate `elsewhere`. */
  test: string | undefined
}

/** `text` is what a program prints, a synopsis or a drawing. */
const shown = new Set(['text', 'css', 'yaml', 'toml', 'nginx'])
const programs = new Set(['ts', 'js', 'sh'])
const documents = new Set(['chatmd', 'xml', 'json'])

export const pages: readonly string[] = trackedFiles().filter(path =>
  /^(?:README|docs\/.*|packages\/\w+\/README|examples\/README)\.md$/.test(path),
)

export function readPages(): PageBlock[] {
  return pages.flatMap(page => {
    const text = readFileSync(join(root, page), 'utf8')
    const marks = text.matchAll(/<!-- (\w+) blocks are run by (\S+) -->/g)
    const tests = new Map([...marks].map(([, language, test]) => [language!, test!]))
    return codeBlocks(text).map((block): PageBlock => {
      const test = block.mark?.kind === 'run by' ? block.mark.reason : tests.get(block.language)
      const fate = test === undefined ? toFate(block) : 'elsewhere'
      return { ...block, page, place: `${page}:${block.line}`, test, fate }
    })
  })
}

function toFate({ language, mark, file, code }: CodeBlock): Fate {
  if (mark?.kind === 'not run' || mark?.kind === 'fragment') return mark.kind
  if (documents.has(language)) return 'read'
  if (shown.has(language)) return 'shown'
  if (file !== undefined) return 'file'
  if (language === 'tsx') return code.includes('export default ') ? 'render' : 'module'
  return programs.has(language) ? 'run' : 'unknown'
}
