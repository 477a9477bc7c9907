/** Where a syntax's calls may begin, and which fences do not hide them. */
export interface Opening {
  /** The characters that a call may begin with. */
  marks: string
  /**
   * `anywhere` in a line; `line`: only as the first character of a line; `indented`: with up to three blanks before it.
   * At a line's start the syntax sees a mark before Markdown does, so `>` and backticks can be marks there: that is how
   * calls live in quotes, or are fences themselves.
   */
  where: 'anywhere' | 'line' | 'indented'
  /** Further characters, that a call may begin with only as the first of a line. */
  lineMarks?: string
  /** The first words of fences that hide nothing, for syntaxes whose real calls are in fences: `tool_code`. */
  liveFences?: readonly string[]
}
