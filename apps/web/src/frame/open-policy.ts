import type { ToolPartProps } from '@argot/react'

const writers: readonly string[] = ['write_file', 'append_to_file', 'find_and_replace', 'apply_patch']

/**
 * Which calls are open: a writing call while its input streams, with its newest lines, and a call that asks. Every
 * other call is one line. Open calls stay open; a change's input gives way to the resulting diff.
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
