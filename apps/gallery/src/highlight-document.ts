import { createHighlighterCore, type LanguageRegistration } from '@shikijs/core'
import { createJavaScriptRegexEngine } from '@shikijs/engine-javascript'
import grammar from 'argot-chatmd/syntaxes/chatmd.tmLanguage.json' with { type: 'json' }

/** A stretch of a line, and the class that colours it. */
export interface DocumentToken {
  start: number
  text: string
  kind: string | undefined
}

/** Which scopes have a colour of their own; what comes later wins. */
const kinds: readonly [kind: string, scopes: readonly string[]][] = [
  ['mark', ['punctuation', 'keyword']],
  ['tag', ['entity.name.tag']],
  ['name', ['entity.name.function']],
  ['key', ['entity.other.attribute-name', 'variable.parameter', 'support.type', 'variable.other']],
  ['value', ['string']],
  ['quiet', ['comment']],
]

/** shiki knows colours only, so each kind has one that stands for its number. */
const colourOf = (index: number): string => `#0000${(index + 16).toString(16)}`

/** The tokens of a document, line by line, by the grammar that editors use. */
export async function highlightDocument(source: string): Promise<DocumentToken[][]> {
  const theme = {
    name: 'kinds',
    settings: kinds.map(([, scope], index) => ({ scope: [...scope], settings: { foreground: colourOf(index) } })),
  }
  const highlighter = await createHighlighterCore({
    themes: [theme],
    langs: [grammar as unknown as LanguageRegistration],
    engine: createJavaScriptRegexEngine(),
  })
  const lines = highlighter.codeToTokensBase(source, { lang: 'chatmd', theme: 'kinds' })
  return lines.map(line =>
    line.map(({ offset, content, color }) => ({
      start: offset,
      text: content,
      kind: kinds.find((_, index) => colourOf(index) === color?.toLowerCase())?.[0],
    })),
  )
}
