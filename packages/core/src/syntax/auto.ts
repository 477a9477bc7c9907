import { caretGrammar } from './caret/caret.ts'
import { llama3, qwen25Coder } from './dialects/bare-json.ts'
import { cohereR, cohereR7b } from './dialects/cohere.ts'
import { deepseekAnyV3, deepseekV4, deepseekV32 } from './dialects/deepseek.ts'
import { functionaryV31, functionaryV32 } from './dialects/functionary.ts'
import { harmony } from './dialects/harmony.ts'
import { hermes } from './dialects/hermes.ts'
import { inkling } from './dialects/inkling.ts'
import { invoke } from './dialects/invoke.ts'
import { usualKeys } from './dialects/keys.ts'
import { functionGemma, gemma4, lfm2Forms, olmo3, pythonic } from './dialects/keywords.ts'
import { kimiK2, kimiK3 } from './dialects/kimi.ts'
import {
  apertus,
  gigachat3,
  granite,
  granite20b,
  internlm,
  jamba,
  longcat,
  nemotronV2,
  phi4,
} from './dialects/lists.ts'
import { mistral } from './dialects/mistral.ts'
import { museGlimmer } from './dialects/muse-glimmer.ts'
import { qwen3Coder } from './dialects/qwen3-coder.ts'
import { solarOpen } from './dialects/solar-open.ts'
import { dots, glm, hyv3, minicpm5, minimaxM2, minimaxM3, seedOss, step3 } from './dialects/tags.ts'
import { combineGrammars, type GrammarCandidate } from './generators/combine.ts'
import type { Dialect } from './generators/dialect.ts'
import { jsonDialect } from './generators/json-dialect.ts'
import { keywordDialect } from './generators/keyword-dialect.ts'
import { taggedDialect } from './generators/tagged-dialect.ts'
import { Reader } from './reader/reader.ts'
import type { ParserOptions, Syntax } from './syntax.ts'
import { describeTools } from './teach/describe-tools.ts'
import { quoteResult } from './teach/quote-result.ts'
import { xmlGrammar } from './xml.ts'

/** Order matters: dialects whose calls begin alike are tried in this order, and the last one reports the error. */
const markedDialects: readonly Dialect[] = [
  hermes,
  glm,
  invoke,
  olmo3,
  qwen3Coder,
  functionaryV31,
  minicpm5,
  jamba,
  hyv3,
  deepseekAnyV3,
  step3,
  deepseekV32,
  deepseekV4,
  llama3,
  qwen25Coder,
  mistral,
  kimiK2,
  kimiK3,
  cohereR7b,
  cohereR,
  nemotronV2,
  granite,
  granite20b,
  internlm,
  longcat,
  phi4,
  gigachat3,
  apertus,
  functionaryV32,
  harmony,
  ...lfm2Forms,
  pythonic,
  gemma4,
  functionGemma,
  minimaxM3,
  minimaxM2,
  seedOss,
  dots,
  museGlimmer,
  solarOpen,
  inkling,
]

const unusedFields = { result: { write: '', id: '' }, lesson: '' }

/** Calls without their own mark. They apply only at the start of a reply, and only for known tools if there are any. */
const bareDialects: readonly Dialect[] = [
  jsonDialect({
    name: 'bare JSON',
    ...unusedFields,
    write: '{call}',
    open: [
      { mark: '```json', where: 'start' },
      { mark: '```', where: 'start' },
      { mark: '', where: 'start' },
    ],
    close: '```',
    closeOptional: true,
    keys: usualKeys,
    knownOnly: 'unless listed',
  }),
  keywordDialect({
    name: 'bare calls',
    open: [{ mark: '', where: 'start' }],
    close: '',
    list: 'always',
    call: ['(', '=', ')'],
    words: 'python',
    write: ['[', ']'],
    result: ['', ''],
    lesson: '',
  }),
  taggedDialect({
    name: 'bare tags',
    call: { open: ['<{name}>', '<{name}\n/>'], close: '</{name}>' },
    parameter: { open: '<{name}>', close: '</{name}>' },
    inline: true,
    namedAfterTools: true,
    knownOnly: true,
    result: ['', ''],
    lesson: '',
  }),
]

/** What `auto` reports for forms that have no name. */
const reportedAs: Readonly<Record<string, string>> = {
  'lfm2 JSON': 'lfm2',
  'bare JSON': 'llama3',
  'bare calls': pythonic.name,
  'bare tags': 'cline',
}

/** Tells dialects apart whose calls begin alike, by the first character after the mark, or the first two of a tag. */
const clashes: ReadonlyMap<string, ReadonlyMap<string, RegExp>> = new Map([
  [
    '<tool_call>',
    new Map([
      ['hermes', /[{`]/],
      ['granite', /^$/],
      ['glm', /^[^{`<]/],
      ['hyv3', /^$/],
      ['qwen2.5-coder', /^$/],
      ['qwen3-coder', /^<f/],
    ]),
  ],
  // After the name, which is skipped.
  [
    '<function=',
    new Map([
      ['qwen3-coder', /^<[p/]/],
      ['functionary-v3.1', /^[^<]/],
      ['seed-oss', /^$/],
      ['minicpm5', /^$/],
    ]),
  ],
  [
    '<function',
    new Map([
      ['qwen3-coder', /^$/],
      ['seed-oss', /^$/],
    ]),
  ],
  [
    '<invoke',
    new Map([
      ['minimax-m2', /^$/],
      ['dots', /^$/],
    ]),
  ],
  ['<｜DSML｜invoke', new Map([['deepseek-v4', /^$/]])],
  [
    '<tool_calls>',
    new Map([
      ['jamba', /[{`]/],
      ['hyv3', /^<t/],
    ]),
  ],
  [
    '<|python_tag|>',
    new Map([
      ['llama3', /\{/],
      ['pythonic', /^[^{<]/],
    ]),
  ],
  [
    '<|tool_call_start|>',
    new Map([
      ['lfm2', /^[^{`<]/],
      ['lfm2 JSON', /[{`]/],
    ]),
  ],
  [
    '<function_calls>',
    new Map([
      ['invoke', /^<[ia]/],
      ['olmo3', /^[^<]/],
    ]),
  ],
])

function createCandidates(withBare: boolean): GrammarCandidate[] {
  const ownSyntaxes: GrammarCandidate[] = [
    { name: 'xml', grammar: xmlGrammar, starts: ['<tool:'] },
    {
      name: 'caret',
      grammar: { ...caretGrammar, opening: { marks: '', where: 'anywhere', lineMarks: '^' } },
      starts: ['^^^'],
    },
  ]
  const dialects = markedDialects.map(({ name, grammar, starts }) => ({
    name: reportedAs[name] ?? name,
    grammar,
    starts: starts.filter(start => /^[^`]/.test(start)),
    accepts: (start: string, next: string) => clashes.get(start)?.get(name)?.test(next) !== false,
  }))
  const bareCandidates = bareDialects.map(({ name, grammar, starts }) => ({
    name: reportedAs[name] ?? name,
    grammar,
    starts,
    onlyFirst: true,
  }))
  return [...ownSyntaxes, ...(withBare ? bareCandidates : []), ...dialects]
}

/**
 * A syntax that reads all dialects plus `xml` and `caret`, for models you know nothing about. It teaches and writes
 * `hermes`. Each call carries the dialect it was read as in `providerMetadata.argot.dialect`.
 *
 * With `bare: false`, calls without their own mark (a JSON object, a list of calls, tags named after tools) are text.
 */
export function createAuto(options?: { bare?: boolean | undefined }): Syntax {
  const withBare = options?.bare ?? true
  const grammar = { ...combineGrammars(createCandidates(withBare), hermes.grammar.repair), silentAtEdges: true }
  return {
    name: 'auto',
    kind: 'text',
    limit: 'none',
    stop: hermes.stop,
    parser: (options?: ParserOptions) => new Reader(grammar, options),
    format: call => hermes.format(call),
    formatResult: result =>
      quoteResult(result, ({ name, id, status }) => [
        `<tool_response name="${name}" id="${id}" status="${status}">`,
        '</tool_response>',
      ]),
    describe: tools => describeTools(hermes.describe([]), tools, call => hermes.format(call)),
  }
}

export const auto: Syntax = createAuto()
