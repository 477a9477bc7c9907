// Run by Node 24 beside the server: a conversation with `ai` 7, and what came of it on stdout as JSON. The last argument is the
// address of a route handler that keeps nothing, or of a server of Argot, from which a second page loads the conversation.
import { pathToFileURL } from 'node:url'

const [ai, kind, api] = process.argv.slice(2)
const {
  AbstractChat,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  safeValidateUIMessages,
} = await import(pathToFileURL(ai).href)

const moments = []

class Chat extends AbstractChat {
  constructor(init) {
    let messages = init.messages ?? []
    const keep = next => {
      messages = next
      moments.push(structuredClone(next))
    }
    super({
      ...init,
      state: {
        status: 'ready',
        error: undefined,
        get messages() {
          return messages
        },
        set messages(next) {
          keep(next)
        },
        pushMessage: message => keep([...messages, message]),
        popMessage: () => keep(messages.slice(0, -1)),
        replaceMessage: (index, message) => keep(messages.with(index, message)),
        snapshot: value => structuredClone(value),
      },
    })
  }
}

const open = messages =>
  new Chat({
    id: 'chat',
    messages,
    transport: new DefaultChatTransport({ api: kind === 'handler' ? api : `${api}/api/chat` }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })
const callOf = chat => chat.messages.flatMap(({ parts }) => parts).find(part => 'toolCallId' in part)

async function history() {
  const response = await fetch(`${api}/api/documents/chat.chatmd/messages?format=ui`)
  return (await response.json()).messages
}

const first = open([])
await first.sendMessage({ text: 'Save it.' })
const asked = callOf(first)
const second = kind === 'handler' ? first : open(await history())
if (kind !== 'handler') await second.resumeStream()
await second.addToolApprovalResponse({ id: callOf(second).approval.id, approved: true })
while (second.status !== 'ready' || callOf(second).state !== 'output-available') {
  if (second.error !== undefined) throw second.error
  await new Promise(resolve => setTimeout(resolve, 20))
}
const invalid = []
for (const messages of moments) {
  const { success, error } = await safeValidateUIMessages({ messages })
  if (!success) invalid.push(error.message)
}
const texts = second.messages.flatMap(({ parts }) =>
  parts.filter(({ type }) => type === 'text').map(({ text }) => text),
)
console.log(
  JSON.stringify({ asked: asked.state, state: callOf(second).state, texts, invalid, moments: moments.length }),
)
