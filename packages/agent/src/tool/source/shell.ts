import { createShellTool } from '../process/shell-tool.ts'
import { fixedTools } from '../tool-source.ts'
import type { DeclaredSource } from './declared-source.ts'

/** `<tool name="rg" command="rg"/>`: a program on this machine, once the user trusts its command line. */
export const shell: DeclaredSource<'shell'> = {
  async open({ name, command, network = false, description = `Runs the command \`${command}\`.` }, context) {
    const { cwd, env, mayRun, sandbox, terminal } = context
    // With network access, a program must be trusted separately.
    if (await mayRun(network ? `${command} [network]` : command)) {
      const boundary = await sandbox?.()
      const tool = createShellTool({ name, command, description, cwd, env, network, sandbox: boundary, terminal })
      return fixedTools([tool])
    }
    return {
      code: 'TOOL_NOT_TRUSTED',
      message: `The tool \`${name}\` is left out: the command \`${command}\` was not allowed for this document.`,
      cure: 'Allow it with --allow-exec.',
      canBeLeftOut: true,
    }
  },
}
