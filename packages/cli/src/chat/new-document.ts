/** How a new chat begins, here and on the page: its model can look around in the folder, and changes nothing. */
export const newDocument: string = `<!-- The model can read this folder. -->
<!-- To let it do more, add tools: <tool name="write_file"/> -->
<tool name="read_dir"/>
<tool name="read_file"/>
<tool name="glob"/>
<tool name="grep"/>
`
