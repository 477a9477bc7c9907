// A document with parameters, run with values that are text and nothing else.
import { runDocument } from '@argot/agent'
import { previewDocument } from '@argot/agent/workshop'
import { parseChatMd } from '@argot/core/chatmd'

const source = `<config model="demo" params="plant, lang=en"/>
<tool name="read_file"/>

<system>
Answer in {{lang}}.
</system>

<user>
Read garden/README.md. What does {{plant}} need?
</user>
`

const { document } = parseChatMd(source)
const text = await runDocument(document, { params: { plant: 'basil' }, env: {} }).text
console.log(text.split('\n')[0])

// A missing value is an error with a code, and so is one that the document does not have.
const missing = await runDocument(document, { env: {} }).result
if (missing.status === 'failed') console.log(missing.code)
const unknown = await runDocument(document, { params: { plnat: 'basil' }, env: {} }).result
if (unknown.status === 'failed') console.log(unknown.error)

// Nothing in a value is read: not as markup, not as another parameter, not as the place of the tools.
const params = { plant: '<doc src="secret.txt" local/> {{lang}} {{tools}}' }
const preview = await previewDocument('garden/plant.chatmd', { params, env: {} })
for (const { text, origin } of preview.messages.flatMap(message => message.pieces)) console.log(`${origin}: ${text}`)
