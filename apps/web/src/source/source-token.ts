/** How far markup recedes: brackets and attribute names, or tag names and values. */
export type TokenKind = 'mark' | 'name'

export interface SourceToken {
  text: string
  kind: TokenKind | undefined
}
