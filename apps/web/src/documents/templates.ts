/** A tool that comes with Argot, as the panel offers it. */
export interface OfferedTool {
  name: string
  does: string
  /** Its calls wait for a yes, unless the server's policy says otherwise. */
  asks?: boolean
}

export const offeredTools: readonly OfferedTool[] = [
  { name: 'read_dir', does: 'list folders' },
  { name: 'read_file', does: 'read files' },
  { name: 'glob', does: 'find files by name' },
  { name: 'grep', does: 'search in files' },
  { name: 'markdown_search', does: 'search Markdown files' },
  { name: 'find_and_replace', does: 'edit files', asks: true },
  { name: 'apply_patch', does: 'edit several files', asks: true },
  { name: 'write_file', does: 'write files', asks: true },
  { name: 'webpage_to_markdown', does: 'read web pages', asks: true },
]

export interface Template {
  key: 'empty' | 'research' | 'coding' | 'mcp' | 'document'
  label: string
  does: string
  tools: readonly string[]
  system: string
}

const readers = ['read_dir', 'read_file', 'glob', 'grep']

/** What a new document can begin as. None of them says anything about approvals: those are the server's. */
export const templates: readonly Template[] = [
  {
    key: 'research',
    label: 'Folder research',
    does: 'Reads this folder and changes nothing.',
    tools: readers,
    system: 'Answer from the files in this folder. Name the files that you used.',
  },
  {
    key: 'coding',
    label: 'Coding helper',
    does: 'Reads and edits files. You approve each change.',
    tools: [...readers, 'find_and_replace', 'apply_patch', 'write_file'],
    system:
      'You help with the code in this folder. Read before you edit, keep changes small, and say what you changed.',
  },
  { key: 'empty', label: 'Empty chat', does: 'A conversation without tools.', tools: [], system: '' },
  { key: 'mcp', label: 'MCP server', does: 'Uses the tools of a server that you name.', tools: [], system: '' },
  {
    key: 'document',
    label: 'From a document',
    does: 'Its settings, tools and prompt, without its messages.',
    tools: [],
    system: '',
  },
]
