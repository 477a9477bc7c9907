import type { ToolPartProps } from '@argot/react'

const writers: readonly string[] = ['write_file', 'append_to_file', 'find_and_replace', 'apply_patch']

/**
 * Which calls are open: one that writes while its input streams, with its newest lines, and one that asks. Whatever else
 * the row says in one line. What is open stays open; the input of a change gives way to the change that came of it.
 */
export const openPolicy: ToolPartProps = {
  newestLines: 12,
  defaultExpanded: {
    '*': ({ toolName, state, section }) => {
      const isWriter = writers.includes(toolName)
      if (section === 'input') return isWriter && state === 'output-available' ? false : undefined
      return section === undefined && state === 'input-streaming' ? isWriter : undefined
    },
  },
}
