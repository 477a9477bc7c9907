// A document that names a tool of a JavaScript file: nothing of the file is executed before somebody says yes.
import { runDocument } from '@argot/agent'
import { toolCalls } from '@argot/core'
import { parseChatMd } from '@argot/core/chatmd'

const source = `<config model="demo"/>
<tool module="./garden/water.mjs" name="water"/>

<user>
Water the basil.
</user>
`
const { document } = parseChatMd(source, { file: 'watering.chatmd' })

// Where nobody can be asked the run fails; `allowExec` is the yes of a program, and `trust` asks somebody.
const refused = await runDocument(document, { env: {} }).result
if (refused.status === 'failed') console.log(refused.code)

const { result } = runDocument(document, { env: {}, allowExec: true, approve: 'all' })
const { message } = await result
for (const call of toolCalls(message!)) console.log(call.toolName, call.output)
