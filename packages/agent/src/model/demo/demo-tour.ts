import type { ToolDefinition } from '@argot/core'
import type { DemoResult, DemoTurn } from './demo-turn.ts'

export const tourRequest = 'Show me around.'

export interface TourStep {
  text: string
  calls: { toolName: string; input: Record<string, unknown> }[]
}

const file = 'notes/todo.md'

/**
 * The demo model's tour: it reads, looks for something that isn't there, repairs that, and wants to change a file. With
 * tools that only read, it looks at the folder. The tools are real, and so is their output. Undefined if the user
 * didn't ask for the tour, or if the tools for it are missing.
 */
export function tourStep(tools: readonly ToolDefinition[], { request, results }: DemoTurn): TourStep | undefined {
  if (request.trim().replace(/\.$/, '').toLowerCase() !== tourRequest.replace('.', '').toLowerCase()) return undefined
  const has = (name: string): boolean => tools.some(tool => tool.name === name)
  if (!has('read_dir')) return undefined
  if (!has('read_file') || !has('find_and_replace')) return readingSteps[results.length]
  return steps.find(({ after }) => after === results.length)?.step(results.at(-1)?.status)
}

/** The tour for a document whose tools only read, by the number of results so far. */
const readingSteps: readonly TourStep[] = [
  {
    text: "I'll look at the folder. The call only reads, so it runs without asking.",
    calls: [{ toolName: 'read_dir', input: { path: '.' } }],
  },
  {
    text: `That's what's in it. Open the row above to see the call's input and output.

This document's tools only read. To see a call that asks first, add a line such as \`<tool name="find_and_replace"/>\` to the document: open Source.

I'm Argot's demo model. I understand nothing; I only show how tool calls work.`,
    calls: [],
  },
]

/** How the edit ended. A tool's own error message is in its row and isn't repeated here. */
const endings = {
  success: `\`${file}\` has one less thing to do.`,
  error: `The edit failed, so \`${file}\` is unchanged. Open its row to see why. A real model would read the file again and retry.`,
  denied: 'You said no, so the file is unchanged. The model knows, and can continue from there.',
} as const

const steps: readonly { after: number; step: (status: DemoResult['status'] | undefined) => TourStep }[] = [
  {
    after: 0,
    step: () => ({
      text: "I'll look at the folder, and at the list in it. Both calls only read, so they run without asking.",
      calls: [
        { toolName: 'read_dir', input: { path: 'notes' } },
        { toolName: 'read_file', input: { path: file } },
      ],
    }),
  },
  {
    after: 2,
    step: () => ({
      text: "There's a line I could tick off. I remember another file name, so I'll try that one first.",
      calls: [{ toolName: 'read_file', input: { path: 'notes/list.md' } }],
    }),
  },
  {
    after: 3,
    step: () => ({
      text: `That file doesn't exist. A call may fail, and the model continues. I'll change \`${file}\` instead. This changes something, so Argot asks you first.`,
      calls: [
        {
          toolName: 'find_and_replace',
          input: { path: file, search: '- [ ] See a tool call', replace: '- [x] See a tool call' },
        },
      ],
    }),
  },
  {
    after: 4,
    step: (status = 'success') => ({
      text: `${endings[status]}

That was one of everything: input as the model writes it, running calls, a call that failed and was corrected, a question to you, and a diff. All of it is in the document, which is a plain file. Press Source to see it, then edit it, copy it or run it again.

**Next**

1. Set \`OPENAI_API_KEY\`, \`ANTHROPIC_API_KEY\` or \`GOOGLE_GENERATIVE_AI_API_KEY\`, or start Ollama; then restart and choose a real model above.
2. Create your own document: press + on the left, or put a \`.chatmd\` file into the folder.

I'm Argot's demo model. I understand nothing; I only show how tool calls work.`,
      calls: [],
    }),
  },
]
