/** What calls of the known dialects begin with: the first character, before what makes it an opener. */
const openers =
  /<(?=[|｜]|(?:\w+:)?(?:tool|function|invoke)|TOOLCALL>|\w+_(?:tool|function)_call>)|\[(?=TOOL_CALLS\]|[\w.-]+\()|\](?=<\]minimax)|>(?=>>)|\^(?=\^\^)|f(?=unctools)|A(?=ction:)/g

/**
 * JSON in which no string begins a call, in `own` or any other dialect: the first character of each opener is written as an
 * escape. A result that a model repeats is then no call, whichever dialect it is read in.
 */
export function hideOpeners(json: string, own: readonly string[]): string {
  let hidden = json.replaceAll(openers, escapeCharacter)
  for (const opener of own) {
    if (opener !== '') hidden = hidden.replaceAll(opener, () => escapeCharacter(opener) + opener.slice(1))
  }
  return hidden
}

function escapeCharacter(text: string): string {
  return `\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}`
}
