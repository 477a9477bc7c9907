import type { CallLocale, VerbForms } from './call-locale.ts'
import type { FindVerbIndex } from './call-verb.ts'

/** Words that are more often nouns are left out. */
const regular =
  'accept activate add analyze answer apply approve archive ask assign attach book browse calculate call cancel ' +
  'capture change check clear click clone close comment commit compare complete compress compute configure confirm ' +
  'connect convert copy count crawl deactivate decline deploy describe detect disable dismiss ' +
  'duplicate enable estimate evaluate explain export extract fill filter follow fork format generate ' +
  'geocode handle hover import index insert inspect install invite invoke join launch lock mark ' +
  'merge monitor optimize parse pause perform plan play post predict press preview print ' +
  'process provision publish purchase push rank receive recommend record refresh refund register reject release ' +
  'reload reply report reschedule reserve resolve restart restore resume retry retrieve return revert review rotate ' +
  'scan schedule scrape scroll select share show sign sort start stop store submit subscribe suggest ' +
  'summarize sync tag test track transcribe transfer transform translate trigger type unlock unsubscribe ' +
  'upload use validate verify visit wait'

/** "planned", "submitted", "transferred". */
const doubledEnding = /^[^aeiou]*[aeiou][bdgmnprt]$|(?:mit|fer)$/

/** "Booking", "Booked". */
function conjugate(base: string): VerbForms {
  const name = base[0]!.toUpperCase() + base.slice(1)
  const stem = doubledEnding.test(base) ? name + base.at(-1) : name.replace(/([^e])e$/, '$1')
  return { doing: `${stem}ing`, done: `${stem.replace(/([^aeiou])y$/, '$1i')}ed`, base }
}

const moreVerbs: CallLocale['verbs'] = {
  ...Object.fromEntries(regular.split(' ').map(base => [base, conjugate(base)])),
  build: { doing: 'Building', done: 'Built', base: 'build' },
  buy: { doing: 'Buying', done: 'Bought', base: 'buy' },
  checkout: { doing: 'Checking out', done: 'Checked out', base: 'check out' },
  draw: { doing: 'Drawing', done: 'Drew', base: 'draw', participle: 'drawn' },
  make: { doing: 'Making', done: 'Made', base: 'make' },
  navigate: { doing: 'Opening', done: 'Opened', base: 'open' },
  pay: { doing: 'Paying', done: 'Paid', base: 'pay' },
  put: { doing: 'Putting', done: 'Put', base: 'put' },
  reset: { doing: 'Resetting', done: 'Reset', base: 'reset' },
  screenshot: { doing: 'Capturing', done: 'Captured', base: 'capture' },
  set: { doing: 'Setting', done: 'Set', base: 'set' },
  take: { doing: 'Taking', done: 'Took', base: 'take', participle: 'taken' },
  think: { doing: 'Thinking', done: 'Thought', base: 'think' },
}

let allVerbs: CallLocale['verbs'] | undefined

export function addVerbs(english: CallLocale['verbs']): CallLocale['verbs'] {
  allVerbs ??= { ...moreVerbs, ...english }
  return allVerbs
}

/** `web_search`, `issue_write`. Other verbs are nouns at the end of a name. */
const lastVerbs = /^(?:append|create|delete|edit|fetch|find|get|list|look|move|open|read|run|search|send|update|write)$/

/** Products that servers put before their tools' names, and other words that add nothing. */
const products =
  /^(?:api|brave|browser|exa|figma|firecrawl|git|github|gitlab|gmail|jira|linear|mcp|multi|notion|playwright|puppeteer|sentry|slack|str|stripe|tavily|todo)$/

export const findVerbIndex: FindVerbIndex = (words, toKey) => {
  while (words.length > 1 && products.test(words[0]!)) words.shift()
  // `str_replace_based_edit_tool`
  if (words.includes('based')) words.length = words.indexOf('based')
  const [first, last] = [toKey(words[0]), toKey(words.at(-1))]
  const endsWithVerb = last !== undefined && lastVerbs.test(last)
  // "book_search" doesn't book anything, but "run_search" runs something.
  if (first !== undefined && !(endsWithVerb && words.length === 2 && !lastVerbs.test(first))) return 0
  if (endsWithVerb) return words.length - 1
  return words.length > 2 && toKey(words[1]) !== undefined ? 1 : -1
}
