import { auto } from './auto.ts'
import { callout } from './callout.ts'
import { caret } from './caret/caret.ts'
import { dialects } from './dialects/all.ts'
import { fence } from './fence.ts'
import { native } from './native.ts'
import type { Syntax } from './syntax.ts'
import { xml } from './xml.ts'

export interface ListedSyntax {
  name: string
  aliases: readonly string[]
  /** A few words about it; undefined for dialects, which are named after their models. */
  about?: string
}

const ownSyntaxes: readonly (readonly [Syntax, string, ...aliases: string[]])[] = [
  [native, 'the model API’s native tool calls', 'json'],
  [auto, 'reads every dialect, xml and caret; teaches hermes'],
  [xml, 'tags; the default for models without native tool calls'],
  [caret, '^^^ blocks, for long texts without quoting'],
  [callout, 'callouts in Markdown'],
  [fence, 'fenced blocks in Markdown'],
]

/** The built-in syntaxes: Argot's own, then the dialects. */
export function listSyntaxes(): ListedSyntax[] {
  return [
    ...ownSyntaxes.map(([{ name }, about, ...aliases]) => ({ name, aliases, about })),
    ...dialects.map(({ dialect: { name }, aliases = [] }) => ({ name, aliases })),
  ]
}
