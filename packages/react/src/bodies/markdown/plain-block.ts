/** What may mean something in Markdown, anywhere or at the beginning of a line. */
const mark = /[`*_~[\]<>#|!\\&@\r\0]|:\/\/|www\.|^[ \t\-+=]|^\d{1,9}[.)]|[ \t]\n|\n[ \t]*\n[\s\S]*\S/im

/** The text of a block that Markdown would show as one plain paragraph, as it is; undefined for any other. */
export function plainBlock(source: string): string | undefined {
  const text = source.trimEnd()
  return text === '' || mark.test(text) ? undefined : text
}
