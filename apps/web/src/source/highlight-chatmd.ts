import { createHighlighterCore, type GrammarState, type LanguageRegistration } from '@shikijs/core'
import { createJavaScriptRegexEngine } from '@shikijs/engine-javascript'
import grammar from 'argot-chatmd/syntaxes/chatmd.tmLanguage.json' with { type: 'json' }
import type { SourceToken, TokenKind } from './source-token.ts'

/** What recedes, and how far; later entries win. Prose and the contents of a call are none of these. */
const kinds: readonly [kind: TokenKind, scopes: readonly string[]][] = [
  [
    'mark',
    ['meta.tag.chatmd', 'punctuation.definition.tag', 'punctuation.separator', 'keyword.control.raw', 'comment'],
  ],
  ['name', ['entity.name.tag.chatmd']],
  ['mark', ['entity.other.attribute-name']],
  ['name', ['string.quoted.double.chatmd', 'string.quoted.single.chatmd', 'string.unquoted.chatmd']],
]

/** shiki only knows colours, so each kind gets a colour that encodes its number. */
const toColour = (index: number): string => `#0000${(index + 16).toString(16)}`

/** This many lines are read before the page may do something else. */
const SLICE = 200

let highlighterPromise: ReturnType<typeof createHighlighterCore> | undefined

/** A document's tokens, line by line, from the editor grammar. It reads in slices, and returns nothing if aborted. */
export async function highlightChatMd(text: string, signal: AbortSignal): Promise<SourceToken[][] | undefined> {
  const settings = kinds.map(([, scope], index) => ({ scope: [...scope], settings: { foreground: toColour(index) } }))
  highlighterPromise ??= createHighlighterCore({
    themes: [{ name: 'kinds', settings }],
    langs: [grammar as unknown as LanguageRegistration],
    engine: createJavaScriptRegexEngine(),
  })
  const highlighter = await highlighterPromise
  const lines = text.split('\n')
  const tokens: SourceToken[][] = []
  let state: GrammarState | undefined
  for (let at = 0; at < lines.length; at += SLICE) {
    const slice = lines.slice(at, at + SLICE).join('\n')
    const options = { lang: 'chatmd', theme: 'kinds', ...(state && { grammarState: state }) }
    const sliceTokens = highlighter.codeToTokensBase(slice, options)
    state = highlighter.getLastGrammarState(sliceTokens)
    for (const line of sliceTokens) {
      tokens.push(line.map(({ content, color }) => ({ text: content, kind: getKind(color) })))
    }
    await new Promise(resolve => setTimeout(resolve))
    if (signal.aborted) return undefined
  }
  return tokens
}

function getKind(colour: string | undefined): TokenKind | undefined {
  return kinds.find((_, index) => toColour(index) === colour?.toLowerCase())?.[0]
}
