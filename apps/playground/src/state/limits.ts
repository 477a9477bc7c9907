/** The longest text that the page takes, in characters. */
export const LONGEST_TEXT = 2_000_000
