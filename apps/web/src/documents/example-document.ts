/** A document to begin with: it needs no key, and its calls read and change files of the folder it is in. */
export const exampleDocument = `<config model="demo" show_tool_call/>
<tool name="read_dir"/>
<tool name="read_file"/>
<tool name="find_and_replace"/>
<tool name="ask_user"/>
`
