/** The debug page's script: requests the last requests every two seconds, and draws those that are new or changed. */
export const pageScript: string = String.raw`
const token = new URLSearchParams(location.hash.slice(1)).get('token')
const list = document.getElementById('requests')
const state = document.getElementById('state')
const drawn = new Map()
let hasPlayground = false
const calm = new Set(['repaired', 'doubled-call', 'quoted-error', 'past-limit'])

function element(name, className, text) {
  const made = document.createElement(name)
  if (className) made.className = className
  if (text !== undefined) made.textContent = text
  return made
}

function section(parent, title, text) {
  if (!text) return
  parent.append(element('h2', '', title), element('pre', '', text))
}

function describeCalls(request) {
  const last = request.attempts.at(-1)
  if (request.error) return ['error', 'bad']
  if (request.ms === undefined || request.ms === null) return ['running', 'dim']
  if (!last) return ['passed on', 'dim']
  const misses = request.attempts.some(({ remarks }) => remarks.some(({ type }) => !calm.has(type)))
  const count = last.calls.length
  const calls = count === 1 ? '1 call' : count + ' calls'
  if (count > 0) return [request.attempts.length > 1 ? calls + ', asked again' : calls, 'good']
  return misses ? [calls + ', see details', 'bad'] : [calls, 'dim']
}

function draw(request) {
  const box = element('details')
  const head = element('summary')
  const [count, look] = describeCalls(request)
  const time = new Date(request.at).toLocaleTimeString()
  const took = request.ms == null ? '' : (request.ms / 1000).toFixed(1) + ' s'
  head.append(
    element('span', 'dim', time),
    element('span', 'model', request.model || '(no model)'),
    element('span', 'dim', request.path),
    element('span', 'dim', took),
    element('span', 'count ' + look, count),
  )
  box.append(head)
  const inside = element('div', 'inside')
  const how = { read: 'Tools were sent natively.', teach: 'Tools were taught as text.', pass: '' }[request.mode]
  const tools = request.tools.length ? ' Tools: ' + request.tools.join(', ') + '.' : ''
  inside.append(element('p', 'dim', (how + tools + ' Status ' + request.status + '. ' + request.client).trim()))
  if (request.error) inside.append(element('p', 'remark', request.error))
  request.attempts.forEach((attempt, index) => drawAttempt(inside, attempt, request.attempts.length > 1 ? index + 1 : 0, request.tools))
  const button = element('button', '', 'Copy as issue')
  button.type = 'button'
  button.addEventListener('click', () => copy(button, formatIssue(request)))
  inside.append(button)
  box.append(inside)
  return box
}

/** What the model wrote goes behind the #, which browsers send to no server. */
function playgroundLink({ reasoning, written }, tools) {
  const text = (reasoning ? '<think>\n' + reasoning + '\n</think>\n\n' : '') + written
  const fields = new URLSearchParams({ text, tools: JSON.stringify(tools.map(name => ({ name })), null, 2) })
  const link = element('a', 'link', 'Open in the playground')
  link.href = '/playground/#' + fields
  link.target = '_blank'
  link.rel = 'noopener'
  return link
}

function drawAttempt(inside, attempt, number, tools) {
  if (number) inside.append(element('h2', '', 'Reply ' + number))
  section(inside, 'Reasoning', attempt.reasoning)
  section(inside, 'The model wrote', attempt.written || '(no text)')
  inside.append(element('h2', '', 'Read as'))
  if (attempt.calls.length === 0) inside.append(element('p', 'dim', 'no calls'))
  for (const call of attempt.calls) {
    inside.append(element('p', '', call.toolName + ' (' + call.dialect + ')'), element('pre', '', call.json))
  }
  for (const { type, message } of attempt.remarks) {
    inside.append(element('p', calm.has(type) ? 'remark calm' : 'remark', type + ': ' + message))
  }
  if (hasPlayground && attempt.written) inside.append(playgroundLink(attempt, tools))
}

function fence(text) {
  const longest = Math.max(2, ...(text.match(/${'`'}+/g) || []).map(run => run.length))
  const mark = '${'`'}'.repeat(longest + 1)
  return mark + '\n' + text + '\n' + mark
}

function formatIssue(request) {
  const lines = ['**Model** ' + (request.model || '-') + '  ', '**Request** ' + request.method + ' ' + request.path + ', ' + request.mode + ', status ' + request.status + '  ',
    '**Tools** ' + (request.tools.join(', ') || '-'), '']
  if (request.error) lines.push('**Error**', fence(request.error), '')
  request.attempts.forEach((attempt, index) => {
    lines.push('### Reply ' + (index + 1), '')
    if (attempt.reasoning) lines.push('Reasoning:', fence(attempt.reasoning), '')
    lines.push('The model wrote:', fence(attempt.written), '', 'Read as:')
    if (attempt.calls.length === 0) lines.push('- no calls')
    for (const call of attempt.calls) lines.push('- ' + call.toolName + ' (' + call.dialect + ')', fence(call.json))
    for (const { type, message } of attempt.remarks) lines.push('- ' + type + ': ' + message)
    lines.push('')
  })
  return lines.join('\n')
}

async function copy(button, text) {
  try {
    await navigator.clipboard.writeText(text)
    button.textContent = 'Copied'
  } catch {
    const area = element('textarea')
    area.value = text
    button.after(area)
    area.select()
    button.textContent = 'Select all and copy'
  }
  setTimeout(() => { button.textContent = 'Copy as issue' }, 2000)
}

async function refresh() {
  try {
    const response = await fetch('/debug/requests', token ? { headers: { 'x-argot-token': token } } : {})
    if (response.status === 401) {
      state.textContent = 'This proxy needs a token. Open the address that the command printed, with #token= at its end.'
      return
    }
    const data = await response.json()
    const { requests } = data
    hasPlayground = data.hasPlayground === true
    state.textContent = requests.length === 0 ? 'No requests yet.' : 'The last ' + requests.length + ' requests, kept in memory only.'
    show(requests)
  } catch {
    state.textContent = 'The proxy is not answering.'
  }
  setTimeout(refresh, 2000)
}

function show(requests) {
  const ids = new Set(requests.map(({ id }) => id))
  for (const [id, { box }] of drawn) if (!ids.has(id)) { box.remove(); drawn.delete(id) }
  let before = list.firstElementChild
  for (const request of requests) {
    const key = JSON.stringify(request)
    const known = drawn.get(request.id)
    if (known && known.key === key) { before = known.box.nextElementSibling; continue }
    const box = draw(request)
    if (known) { box.open = known.box.open; known.box.replaceWith(box) } else list.insertBefore(box, before)
    drawn.set(request.id, { key, box })
    before = box.nextElementSibling
  }
}

refresh()
`
