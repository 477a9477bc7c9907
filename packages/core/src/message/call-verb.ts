import type { CallLocale, VerbForms } from './call-locale.ts'
import { english } from './english.ts'
import { oneLine } from './one-line.ts'

export interface CallVerb {
  key: string
  forms: VerbForms
  object: string
}

/** Names that don't begin with their verb. */
const wholeNames: ReadonlyMap<string, string> = new Map([
  ['apply_patch', 'edit'],
  ['find_and_replace', 'edit'],
  ['fork', 'run'],
  ['markdown_index', 'read'],
  ['str_replace', 'edit'],
  ['read_dir', 'list'],
  ['webpage_to_markdown', 'fetch'],
])

const synonyms: ReadonlyMap<string, string> = new Map([
  ['bash', 'run'],
  ['cat', 'read'],
  ['download', 'fetch'],
  ['exec', 'run'],
  ['execute', 'run'],
  ['glob', 'find'],
  ['grep', 'search'],
  ['load', 'read'],
  ['lookup', 'search'],
  ['ls', 'list'],
  ['modify', 'edit'],
  ['mv', 'move'],
  ['patch', 'edit'],
  ['query', 'search'],
  ['remove', 'delete'],
  ['rename', 'move'],
  ['replace', 'edit'],
  ['rm', 'delete'],
  ['save', 'write'],
  ['shell', 'run'],
  ['view', 'read'],
])

/** "Read a.ts", not "Read file a.ts": the subject says it. */
const redundantNouns: readonly { keys: ReadonlySet<string>; nouns: ReadonlySet<string> }[] = [
  {
    keys: new Set(['path', 'file', 'file_path', 'filename']),
    nouns: new Set(['file', 'files', 'path', 'dir', 'directory', 'folder', 'document']),
  },
  {
    keys: new Set(['command', 'arguments', 'args']),
    nouns: new Set(['command', 'commands', 'cmd', 'bash', 'shell', 'terminal', 'script', 'program']),
  },
  { keys: new Set(['url']), nouns: new Set(['url', 'page', 'webpage', 'web', 'website', 'link']) },
]

const joiningWords: ReadonlySet<string> = new Set(['a', 'an', 'the', 'to', 'from', 'in', 'of', 'and'])

/** "Get the weather". In a title of one word it is a verb only if the locale itself has it: "Report" is a noun. */
export function findTitleVerb(
  title: string,
  subjectKey: string | undefined,
  verbs: CallLocale['verbs'],
  ownVerbs: CallLocale['verbs'],
): CallVerb | undefined {
  const line = oneLine(title, 128)
  const end = line.indexOf(' ')
  const key = verbKey((end < 0 ? line : line.slice(0, end)).toLowerCase(), end < 0 ? ownVerbs : verbs)
  if (key === undefined) return undefined
  const object = end < 0 ? '' : line.slice(end + 1)
  const isRedundant = object
    .toLowerCase()
    .split(' ')
    .every(word => joiningWords.has(word) || getRedundantNouns(subjectKey)?.has(word))
  return { key, forms: verbs[key]!, object: isRedundant ? '' : object }
}

function getRedundantNouns(subjectKey: string | undefined): ReadonlySet<string> | undefined {
  return redundantNouns.find(({ keys }) => keys.has(subjectKey ?? ''))?.nouns
}

/**
 * The first word, the last (`web_search`), or the second (`acme_list_users`). A prefix such as a server's name is left
 * out. `subjectKey` is the parameter shown beside the verb.
 */
export function findNameVerb(
  name: string,
  subjectKey: string | undefined,
  verbs: CallLocale['verbs'],
  findVerbIndex: FindVerbIndex = firstOrLast,
): CallVerb | undefined {
  const baseName = name
    .slice(0, 128)
    .split(/__|[./:]/)
    .at(-1)!
  const verb = wholeNames.get(baseName)
  if (verb !== undefined && Object.hasOwn(verbs, verb)) return { key: verb, forms: verbs[verb]!, object: '' }
  const words = baseName
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '')
  const at = findVerbIndex(words, word => verbKey(word, verbs))
  const key = verbKey(words[at], verbs)
  if (key === undefined) return undefined
  const object = at === words.length - 1 ? words.slice(0, -1) : words.slice(at + 1)
  while (joiningWords.has(object[0] ?? '')) object.shift()
  const redundant = getRedundantNouns(subjectKey)
  return { key, forms: verbs[key]!, object: object.every(word => redundant?.has(word)) ? '' : object.join(' ') }
}

/** May remove words that are not part of the name. */
export type FindVerbIndex = (words: string[], toKey: (word: string | undefined) => string | undefined) => number

const firstOrLast: FindVerbIndex = (words, toKey) => (toKey(words[0]) === undefined ? words.length - 1 : 0)

export function callVerb(name: string): string | undefined {
  return findNameVerb(name, undefined, english.verbs)?.key
}

function verbKey(word: string | undefined, verbs: CallLocale['verbs']): string | undefined {
  if (word === undefined) return undefined
  const key = synonyms.get(word) ?? word
  return Object.hasOwn(verbs, key) ? key : undefined
}
