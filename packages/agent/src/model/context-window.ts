/** The context windows of well-known models in tokens, by provider and the start of the id. The first match applies. */
const windows: readonly (readonly [provider: string, id: RegExp, tokens: number])[] = [
  ['openai', /^gpt-4\.1/, 1_047_576],
  // The window is larger, but this is the limit for the prompt.
  ['openai', /^gpt-5/, 272_000],
  ['openai', /^(?:gpt-4o|chatgpt-4o|gpt-4-turbo)/, 128_000],
  ['openai', /^gpt-4-32k/, 32_768],
  ['openai', /^gpt-4(?:-\d|$)/, 8192],
  ['openai', /^gpt-3\.5/, 16_385],
  ['openai', /^o[134]/, 200_000],
  ['anthropic', /^claude/, 200_000],
  ['google', /^gemini-(?:1\.5|[2-9])/, 1_048_576],
]

export function findContextWindow(modelName: string): number | undefined {
  const colon = modelName.indexOf(':')
  const provider = modelName.slice(0, Math.max(colon, 0))
  const id = modelName.slice(colon + 1)
  return windows.find(([name, pattern]) => name === provider && pattern.test(id))?.[2]
}
