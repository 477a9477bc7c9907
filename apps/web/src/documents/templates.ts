import type { DocumentTemplateName, OfferedToolName } from '../locale/page-locale.ts'

export interface OfferedTool {
  name: OfferedToolName
  /** Its calls wait for approval, unless the server's policy says otherwise. */
  asks?: boolean
}

export const offeredTools: readonly OfferedTool[] = [
  { name: 'read_dir' },
  { name: 'read_file' },
  { name: 'glob' },
  { name: 'grep' },
  { name: 'markdown_search' },
  { name: 'find_and_replace', asks: true },
  { name: 'apply_patch', asks: true },
  { name: 'write_file', asks: true },
  { name: 'webpage_to_markdown', asks: true },
]

export interface Template {
  key: DocumentTemplateName
  tools: readonly OfferedToolName[]
  system: string
}

const readers: readonly OfferedToolName[] = ['read_dir', 'read_file', 'glob', 'grep']

/** Templates for a new document. None of them sets approvals: those belong to the server. */
export const templates: readonly Template[] = [
  {
    key: 'research',
    tools: readers,
    system: 'Answer from the files in this folder. Name the files that you used.',
  },
  {
    key: 'coding',
    tools: [...readers, 'find_and_replace', 'apply_patch', 'write_file'],
    system:
      'You help with the code in this folder. Read before you edit, keep changes small, and say what you changed.',
  },
  { key: 'empty', tools: [], system: '' },
  { key: 'mcp', tools: [], system: '' },
  {
    key: 'document',
    tools: [],
    system: '',
  },
]
