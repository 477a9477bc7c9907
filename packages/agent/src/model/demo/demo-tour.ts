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
    text: 'I look at the folder. The call only reads, so it runs without a question.',
    calls: [{ toolName: 'read_dir', input: { path: '.' } }],
  },
  {
    text: `That is what is in it; open the row above to see the input and the output of the call.

The tools of this document only read. To see a call that asks first, add a line such as \`<tool name="find_and_replace"/>\` to the document: open Source.

I am the demo model of Argot. I understand nothing; I only show how tools are called.`,
    calls: [],
  },
]

/** How the edit ended. A tool's own error message is in its row and isn't repeated here. */
const endings = {
  success: `\`${file}\` has one thing less to do.`,
  error: `The edit failed, so \`${file}\` is as it was; open its row to see why. A model would read the file again and try once more.`,
  denied: 'You said no, so the file is as it was. The model was told so, and can continue from there.',
} as const

const steps: readonly { after: number; step: (status: DemoResult['status'] | undefined) => TourStep }[] = [
  {
    after: 0,
    step: () => ({
      text: 'I look at the folder, and at the list in it. Both calls only read, so they run without a question.',
      calls: [
        { toolName: 'read_dir', input: { path: 'notes' } },
        { toolName: 'read_file', input: { path: file } },
      ],
    }),
  },
  {
    after: 2,
    step: () => ({
      text: 'There is a line that I could tick off. I remember another file name, and try that one first.',
      calls: [{ toolName: 'read_file', input: { path: 'notes/list.md' } }],
    }),
  },
  {
    after: 3,
    step: () => ({
      text: `That file is not there: a call may fail, and the model continues. I change \`${file}\` instead. This changes something, so you are asked first.`,
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

That was one of everything: input while it is written, calls that run, a call that failed and was repaired, a question to you, and a diff. All of it is in the document, a plain file: press Source to see it, then edit it, copy it or run it again.

**Next**

1. Set \`OPENAI_API_KEY\`, \`ANTHROPIC_API_KEY\` or \`GOOGLE_GENERATIVE_AI_API_KEY\`, or start Ollama; start again, and choose a real model above.
2. Make a document of your own: press + on the left, or write a \`.chatmd\` file into the folder.

I am the demo model of Argot. I understand nothing; I only show how tools are called.`,
      calls: [],
    }),
  },
]
