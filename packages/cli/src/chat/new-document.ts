/** The initial text of a new chat, here and on the page. Its model can read the folder but changes nothing. */
export const newDocument: string = `<!-- The model can read this folder. -->
<!-- To let it do more, add tools: <tool name="write_file"/> -->
<tool name="read_dir"/>
<tool name="read_file"/>
<tool name="glob"/>
<tool name="grep"/>
`
