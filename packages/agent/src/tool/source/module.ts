import { join, resolve } from 'node:path'
import { fixedTools } from '../tool-source.ts'
import type { DeclaredSource } from './declared-source.ts'

/** `<tool module="./tools.js" name="weather"/>`: a tool from a JavaScript file, once the user trusts the file. */
export const module: DeclaredSource<'module'> = {
  async open({ module: path, name, description, file }, { modules, document, cwd }) {
    const from = file ?? document ?? join(cwd, '-')
    const tool = await modules.getTool(path, name, resolve(cwd, from))
    return 'canBeLeftOut' in tool ? tool : fixedTools([tool], description)
  },
}
