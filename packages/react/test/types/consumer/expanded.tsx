import { ChatBox } from '@argot/react'
import type { DefaultExpanded } from '@argot/react/types'
import { adapter } from './adapter.ts'

export function Expanded() {
  return (
    <ChatBox
      adapter={adapter}
      slotProps={{
        messageContent: {
          partProps: {
            tool: {
              defaultExpanded: {
                // Expand `write` while it runs, collapse it when the tool ends;
                // leave its input/output sections at their default.
                write: ownerState =>
                  ownerState.section
                    ? undefined
                    : ownerState.state === 'input-streaming' || ownerState.state === 'input-available',
                search: true, // always expanded
                '*': undefined, // built-in default for everything else
              },
            },
          },
        },
      }}
    />
  )
}

export const group: DefaultExpanded = {
  '*': ownerState => {
    if (ownerState.section || !ownerState.toolName.startsWith('write')) {
      return undefined // sections and non-write tools: built-in default
    }
    // every write* tool: expand while running, collapse when done
    return ownerState.state === 'input-streaming' || ownerState.state === 'input-available'
  },
}

export const overrides: DefaultExpanded = {
  search: true, // one specific tool, always expanded
  '*': ownerState => (ownerState.toolName.startsWith('write') && !ownerState.section ? true : undefined),
}
