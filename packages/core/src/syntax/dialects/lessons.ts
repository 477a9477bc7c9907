/** `results` tells where results appear. */
export function jsonLesson(form: string, example: string, results: string): string {
  return `# How to call a tool

Write a call as ${form}, outside of code fences:

${example}

The JSON must be strict: double quotes, no comma after the last member, line breaks in strings as \\n. For several calls
write this several times. Results come back ${results}.`
}

/** `quoting` is the escape for values. */
export function taggedLesson(example: string, quoting: string, results: string): string {
  return `# How to call a tool

Write a call in tags, outside of code fences. Each parameter has a tag of its own; its value goes between the tags as it
is, without escaping:

${example}

Lists and objects are written as JSON. ${quoting} Results come back ${results}.`
}

export function keywordLesson(example: string, values: string, results: string): string {
  return `# How to call a tool

Write a call like one of a program, with the name of every argument, outside of code fences:

${example}

${values} Results come back ${results}.`
}
