import { createHighlighterCore, type LanguageRegistration } from '@shikijs/core'
import { createJavaScriptRegexEngine } from '@shikijs/engine-javascript'
import grammar from 'argot-chatmd/syntaxes/chatmd.tmLanguage.json' with { type: 'json' }

export interface DocumentToken {
  start: number
  text: string
  kind: string | undefined
}

/** Scopes with their own colour; later entries win. */
const kinds: readonly [kind: string, scopes: readonly string[]][] = [
  ['mark', ['punctuation', 'keyword']],
  ['tag', ['entity.name.tag']],
  ['name', ['entity.name.function']],
  ['key', ['entity.other.attribute-name', 'variable.parameter', 'support.type', 'variable.other']],
  ['value', ['string']],
  ['quiet', ['comment']],
]

/** shiki only knows colours, so each kind gets a colour that encodes its number. */
const toColour = (index: number): string => `#0000${(index + 16).toString(16)}`

export async function highlightDocument(source: string): Promise<DocumentToken[][]> {
  const theme = {
    name: 'kinds',
    settings: kinds.map(([, scope], index) => ({ scope: [...scope], settings: { foreground: toColour(index) } })),
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
      kind: kinds.find((_, index) => toColour(index) === color?.toLowerCase())?.[0],
    })),
  )
}
