import { fixedTools } from '../tool-source.ts'
import type { DeclaredSource } from './declared-source.ts'

/** `<tool name="read_file"/>`: a built-in tool, or one from the program that runs the document. */
export const builtin: DeclaredSource<'builtin'> = {
  async open({ name, description }, { builtin: builtinTools, codeTools }) {
    const tool = builtinTools.get(name) ?? codeTools.find(one => one.name === name)
    if (tool !== undefined) return fixedTools([tool], description)
    const message = `No tool is called \`${name.slice(0, 100)}\`.`
    return { code: 'TOOL_UNKNOWN', message, cure: 'Remove it.', canBeLeftOut: false }
  },
}
