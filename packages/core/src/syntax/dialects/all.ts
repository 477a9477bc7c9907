import type { Dialect } from '../generators/dialect.ts'
import { llama3, qwen25Coder, xlam } from './bare-json.ts'
import { codeTag, gemma3, nameJson, react } from './by-name.ts'
import { cohereR, cohereR7b } from './cohere.ts'
import { deepseekV3, deepseekV4, deepseekV31, deepseekV32 } from './deepseek.ts'
import { functionaryV31, functionaryV32 } from './functionary.ts'
import { harmony } from './harmony.ts'
import { hermes } from './hermes.ts'
import { inkling } from './inkling.ts'
import { invoke } from './invoke.ts'
import { functionGemma, gemma4, lfm2, olmo3, pythonic } from './keywords.ts'
import { kimiK2, kimiK3 } from './kimi.ts'
import { apertus, ernie, gigachat3, granite, granite20b, internlm, jamba, longcat, nemotronV2, phi4 } from './lists.ts'
import { mistral } from './mistral.ts'
import { museGlimmer } from './muse-glimmer.ts'
import { qwen3Coder } from './qwen3-coder.ts'
import { solarOpen } from './solar-open.ts'
import { cline, dots, glm, hyv3, minicpm5, minimaxM2, minimaxM3, seedOss, step3 } from './tags.ts'

export interface DialectEntry {
  readonly dialect: Dialect
  readonly aliases?: readonly string[]
  /** Matched against the model's name in lowercase, without its maker. */
  readonly models?: RegExp
}

/** The dialects Argot knows. The first one that matches a model's name wins. */
export const dialects: readonly DialectEntry[] = [
  {
    dialect: qwen3Coder,
    aliases: ['qwen3.5', 'nemotron3', 'step3.5'],
    models: /qwen-?3-?coder|qwen-?3\.[5-9]|nemotron-?3|step-?(?:3\.[5-9]|[4-9])|mimo-?v?2/,
  },
  { dialect: qwen25Coder, models: /qwen-?2\.?5-?coder/ },
  { dialect: granite20b, models: /granite-20b/ },
  { dialect: granite, models: /granite-?3/ },
  {
    dialect: hermes,
    aliases: ['qwen3', 'granite4'],
    models: /hermes|qwen|qwq|granite-?4|mimo|smollm|trinity|exaone-?4|\breka/,
  },
  { dialect: invoke },
  { dialect: mistral, models: /mistral|ministral|magistral|devstral|codestral|pixtral|mixtral/ },
  { dialect: deepseekV4, models: /deepseek-?v4/ },
  { dialect: deepseekV32, aliases: ['dsml'], models: /deepseek-?v3\.2/ },
  { dialect: deepseekV31, models: /deepseek-?v3\.1/ },
  { dialect: deepseekV3, aliases: ['deepseek-r1'], models: /deepseek/ },
  { dialect: kimiK3, models: /kimi-?k3/ },
  { dialect: kimiK2, models: /kimi/ },
  { dialect: cohereR7b, models: /command-?(?:r7b|a)/ },
  { dialect: cohereR, models: /command-?r/ },
  { dialect: nemotronV2, models: /nemotron/ },
  { dialect: hyv3, aliases: ['hunyuan-v3'], models: /hunyuan-?v?3|hy-?v?3/ },
  { dialect: jamba, aliases: ['hunyuan', 'apriel', 'minimax-m1'], models: /jamba|hunyuan|apriel|minimax-?m1/ },
  { dialect: internlm, models: /internlm|intern-?s1/ },
  { dialect: longcat, models: /longcat/ },
  { dialect: phi4, aliases: ['functools'], models: /phi-?4|firefunction/ },
  { dialect: gigachat3, models: /gigachat/ },
  { dialect: functionaryV32, models: /functionary.*v3\.2/ },
  { dialect: functionaryV31, models: /functionary/ },
  { dialect: harmony, aliases: ['gpt-oss'], models: /gpt-?oss/ },
  { dialect: xlam, models: /xlam/ },
  { dialect: pythonic, aliases: ['llama4'], models: /llama-?4|toolace/ },
  { dialect: llama3, aliases: ['llama'], models: /llama/ },
  { dialect: apertus, models: /apertus/ },
  { dialect: ernie, models: /ernie/ },
  { dialect: minimaxM3, models: /minimax-?m3/ },
  { dialect: minimaxM2, models: /minimax/ },
  { dialect: seedOss, models: /seed-?oss/ },
  { dialect: glm, aliases: ['glm-4.5'], models: /glm|laguna|\bling-?3|\bring\b/ },
  { dialect: step3, models: /step-?3/ },
  { dialect: minicpm5, models: /minicpm/ },
  { dialect: dots, models: /dots/ },
  { dialect: solarOpen, models: /\bsolar/ },
  { dialect: inkling, models: /inkling/ },
  { dialect: museGlimmer, models: /muse-?glimmer/ },
  { dialect: olmo3, models: /olmo/ },
  { dialect: lfm2, models: /lfm/ },
  { dialect: functionGemma, models: /functiongemma/ },
  { dialect: gemma4, models: /gemma-?4/ },
  { dialect: gemma3, models: /gemma-?3/ },
  { dialect: react },
  { dialect: codeTag },
  { dialect: nameJson },
  { dialect: cline, aliases: ['roo', 'kilo', 'morph-xml'], models: /cline|roo-?code|kilo-?code/ },
]

/**
 * The dialect that a model writes, by its name: `qwen3-coder-30b`, `Qwen/Qwen3-Coder-30B-A3B`, `ollama:kimi-k2`.
 * Undefined if none is known.
 */
export function dialectFor(model: string): Dialect | undefined {
  if (typeof model !== 'string') return undefined
  const name = model
    .toLowerCase()
    .replace(/^.*[/]/, '')
    .replace(/^[a-z]+:(?=[a-z])/, '')
    .replaceAll('_', '-')
  return dialects.find(({ models }) => models?.test(name) === true)?.dialect
}
