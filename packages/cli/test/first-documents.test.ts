import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folderWith } from './argot.ts'
import { inProcess } from './in-process.ts'

/** Documents of the shapes that those of the language's first implementation have. */
const files = {
  'commands.md': `<tool name="list" command="git ls-files --exclude=docs/" description="files of the index, etc." />

<tool name="log" command="git log" description="what was done" />
`,
  'assistant.md': `<config model="demo"  max_tokens="1000" reasoning_effort="medium" show_tool_call />

<tool name="webpage_to_markdown" />
<tool mcp_server="stdio:npx -y a-search-server" name="web_search" />
<tool mcp_server="stdio:npx @some/mail-server" include="find_mail,read_mail" />

<import src="./commands.md" local />


<developer>
- Obey what stands in <reminder> tags, and close </format> as you like.
<answer>
### What I did:
</answer>
</developer>
`,
  'finder.md': `<config model="demo"  max_tokens="1000" reasoning_effort="high" show/>

<tool mcp_server="stdio:npx -y a-search-server" />
<tool name="sed" command="sed" description="only to read" local />

<system>
Write into <\`results.md\` | the file that is named>, for instance
<input>
  store in \`x.md\`
</input>
patch({"input":"*** Begin Patch\\n+# ...})
<ouput>
1. One
</output>
</system>

<user>
store results in tea.md
 
</user>
`,
  'caller.md': `<config model="demo" show/>

<tool name="document" agent="./writer.md" description="writes" local />
<developer>
Say \`document <path>/<module_name>\`.
</developer>
`,
  'writer.md': `<config model="demo" show/>

<tool name="odoc_search" />
<tool name="markdown_search" />
<tool name="read_file" />
<tool name="find_and_replace" />

<developer>
\`\`\`ocaml
val zeros : ('a, 'b) dtype -> int array -> ('a, 'b) t
(** [zeros d s] is [|0.; 0.|].   (* <-- how it is called *) *)
\`\`\`
</developer>

`,
  'coder.md': `<config model="demo" show/>

<tool name="get_contents" />
<tool name="import_image" />
<tool name="type-search" command="finder search --html"
description="pass the query
{\\"type-search\\": {\\"arguments\\": [ \\"query\\"]}}" />
<tool name="find" agent="./finder.md" description="Finds.
Input:
|query|
" local />

<developer>

* Respect \`<reminder>\` tags.

</developer>


<!-- <user><doc src="missing.md" local /></user> -->`,
  'reader.md': `<config model="demo"/>

<msg role="developer">
 <doc src="./rules.txt" local/>
</msg>

<msg role="user">
RAW|<context>|RAW
    lib/ - modules
RAW|</context>|RAW
Describe it.
</msg>
`,
  'rules.txt': 'Be brief.',
}

/** What each uses that Argot does not have, as `check` says it: the code and the first tool. */
const errorsOf: Record<string, string[][]> = {
  'writer.md': [['TOOL_UNKNOWN', 'odoc_search']],
  // Its agent is writer.md, which could not run.
  'caller.md': [['CHATMD_AGENT_FAILED', 'odoc_search']],
}

const documents = Object.keys(files).filter(name => name.endsWith('.md'))

describe.each(documents)('a document of the first implementation, %s,', name => {
  test('is checked and shown, and what it uses beyond is said for each tool', async () => {
    const cwd = await folderWith(files)
    const { stderr } = await inProcess(['check', join(cwd, name)], { cwd })
    const beyond = errorsOf[name] ?? []
    const errors = [...stderr.matchAll(/ error (\S+): .*tool `(\w+)`/g)]
    expect(errors.map(([, code, tool]) => [code, tool])).toEqual(beyond)
    expect(stderr.match(/ error [A-Z]/g) ?? []).toHaveLength(beyond.length)
    if (stderr.includes('`show`')) expect(stderr).toContain('Did you mean `show_tool_call`?')
    const preview = await inProcess(['run', '--dry-run', join(cwd, name)], { cwd })
    expect(preview.status).toBe(beyond.length > 0 ? 1 : 0)
    expect(preview.stdout).toContain('model   demo')
    expect(preview.stdout).not.toContain('odoc_search')
  })
})

test('the documents mean what they say', async () => {
  const cwd = await folderWith(files)
  const shown = async (name: string): Promise<string> =>
    (await inProcess(['run', '--dry-run', join(cwd, name)], { cwd })).stdout
  expect(await shown('assistant.md')).toContain('list (exec): files of the index')
  expect(await shown('finder.md')).toContain('| Write into <`results.md` | the file that is named>')
  expect(await shown('coder.md')).toContain('type-search (exec): pass the query')
  expect(await shown('coder.md')).toContain('find (exec): Finds.')
  expect(await shown('writer.md')).toContain('find_and_replace')
  expect(await shown('writer.md')).toContain('(* <-- how it is called *) *)')
  expect(await shown('reader.md')).toContain('Be brief.')
  expect(await shown('reader.md')).toContain('<context>')
})
