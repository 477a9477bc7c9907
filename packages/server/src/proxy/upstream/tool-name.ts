/**
 * The tool that a native call names. Servers leak parts of a template into the name: `functions.read:0`,
 * `read<|channel|>commentary`. A name that the client declared always stays unchanged.
 */
export function readToolName(name: string, tools: ReadonlySet<string>): string {
  if (tools.has(name)) return name
  const plain = name
    .replace(/<\|.*$/s, '')
    .replace(/^functions[./]/, '')
    .replace(/:\d+$/, '')
    .trim()
  return tools.has(plain) ? plain : name
}
