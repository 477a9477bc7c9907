/** A new document: its model can look around in the folder, and changes nothing. The first line says how to go on. */
export const newDocument = `<!-- The model can read this folder. -->
<!-- To let it do more, add tools: <tool name="write_file"/> -->
<tool name="read_dir"/>
<tool name="read_file"/>
<tool name="glob"/>
<tool name="grep"/>
`
