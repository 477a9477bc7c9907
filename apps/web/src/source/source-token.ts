/** How far markup recedes: brackets and names of attributes, or names of tags and values. */
export type TokenKind = 'mark' | 'name'

/** A stretch of a line. */
export interface SourceToken {
  text: string
  kind: TokenKind | undefined
}
