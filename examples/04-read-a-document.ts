import { formatDiagnostic } from '@argot/core'
import { checkChatMd, parseChatMd } from '@argot/core/chatmd'

const source = `<config model="gpt-4o" temprature="0"/>
<tool name="read_file"/>

<user>
Read README.md and propose a patch.
</user>
`
const { document } = parseChatMd(source, { file: 'chat.chatmd' })
console.log(document.config?.model, document.tools.length, document.entries.length)
for (const diagnostic of checkChatMd(source, { file: 'chat.chatmd' })) console.log(formatDiagnostic(diagnostic, source))
