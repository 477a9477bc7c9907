import { dialects } from './all.ts'
import type { Dialect } from './dialect.ts'

/**
 * The dialect that a model of this name writes: `qwen3-coder-30b`, `Qwen/Qwen3-Coder-30B-A3B`, `ollama:kimi-k2`. Undefined
 * for a model that is not known to write one.
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
