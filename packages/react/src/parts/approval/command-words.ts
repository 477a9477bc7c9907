export function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(word => typeof word === 'string')
}

/** A command line quoted for a shell, which shows where each word begins and ends. */
export function commandLine(words: readonly string[]): string {
  return words.map(quote).join(' ')
}

function quote(word: string): string {
  return word === '' || /[\s"'`$\\;&|<>(){}*?!#~]/.test(word) ? `'${word.replaceAll("'", "'\\''")}'` : word
}
