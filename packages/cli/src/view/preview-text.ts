import type { ParamValue, PreviewApproval, PreviewMessage, PreviewPiece } from '@argot/agent/internal'
import type { Preview } from '@argot/agent/workshop'
import { visibleLine } from '@argot/core/stream/internal'
import type { Paint } from '../io/paint.ts'
import { safeText } from '../io/safe-text.ts'

/**
 * Shows people what a model would see, message by message, with each piece below its source. A plus marks additions by
 * Argot, a minus what isn't sent.
 */
export function previewText(preview: Preview, paint: Paint): string {
  const { model, syntax, tools, messages, approvals = [], params = [] } = preview
  const lines = [`model   ${visibleLine(model)}`, `syntax  ${visibleLine(syntax)}`]
  params.forEach(({ name, value, from }, index) => {
    const json = safeText(JSON.stringify(value))
    lines.push(`${index === 0 ? 'params' : '      '}  ${paint(name, 'bold')} = ${json} ${paint(sources[from], 'dim')}`)
  })
  const settings = describeSettings(preview)
  if (settings !== undefined) lines.push(`sent    ${settings}`)
  if (tools.length === 0) lines.push('tools   none')
  tools.forEach(({ name, effect, description = '', inputSchema }, index) => {
    const about = `${effect === undefined ? '' : ` (${effect})`}${description === '' ? '' : `: ${description}`}`
    lines.push(
      `${index === 0 ? 'tools ' : '      '}  ${paint(visibleLine(name), 'bold')}${safeText(about.split('\n', 1)[0]!)}`,
    )
    lines.push(paint(`          ${safeText(JSON.stringify(inputSchema))}`, 'dim'))
    const approval = approvals.find(({ toolName }) => toolName === name)
    if (approval !== undefined) lines.push(...describeApproval(approval).map(line => paint(`          ${line}`, 'dim')))
  })
  for (const message of messages) lines.push('', ...describeMessage(message, paint))
  const parts = [
    ...(messages.some(({ pieces }) => pieces.some(({ added }) => added === true)) ? ['+ added by Argot'] : []),
    ...(messages.some(({ sent }) => !sent) ? ['- not sent'] : []),
  ]
  if (parts.length > 0) lines.push('', paint(parts.join('   '), 'dim'))
  lines.push(...describeTotal(preview).map(line => paint(line, 'dim')))
  return `${lines.join('\n')}\n`
}

function describeSettings({ request = {} }: Preview): string | undefined {
  const { prompt: _, tools: __, ...settings } = request
  const fields = Object.entries(settings).map(([name, value]) => `${name} ${JSON.stringify(value)}`)
  return fields.length === 0 ? undefined : safeText(fields.join(', '))
}

const sources: Record<ParamValue['from'], string> = {
  given: '(given with -p)',
  sent: '(as sent before)',
  asked: '(your answer)',
  default: '(the default)',
}

const decisions: Record<PreviewApproval['decision'], string> = {
  run: 'runs without asking',
  ask: 'asks before it runs',
  refuse: 'is refused',
}

function describeApproval({ decision, rules }: PreviewApproval): string[] {
  if (rules.length === 0) return [decisions[decision]]
  return [`${decisions[decision]}, unless a rule overrides it:`, ...rules.map(rule => `  ${safeText(rule)}`)]
}

function describeMessage({ role, pieces, sent }: PreviewMessage, paint: Paint): string[] {
  const head = `${paint(safeText(role), 'bold', 'cyan')}${sent ? '' : ' (not sent)'}`
  return [head, ...pieces.flatMap(piece => describePiece(piece, sent, paint))]
}

function describeTotal({ tokens, cost, toolTokens, files = 0 }: Preview): string[] {
  if (tokens === undefined) return []
  const tools = toolTokens === undefined ? '' : `, ${toolTokens} of them for tools`
  const images = files === 0 ? '' : `; ${files === 1 ? 'one file is' : `${files} files are`} not counted`
  return ['', `about ${tokens} tokens in all${tools}${describeCost(cost)}${images}`]
}

/** For example ", about 2 tokens, cost 0.003". */
function describeTokens({ tokens, cost }: PreviewPiece): string {
  if (tokens === undefined) return ''
  return `, about ${tokens} ${tokens === 1 ? 'token' : 'tokens'}${describeCost(cost)}`
}

function describeCost(cost: number | undefined): string {
  return cost === undefined ? '' : `, cost ${Number(cost.toPrecision(3))}`
}

function describePiece(piece: PreviewPiece, sent: boolean, paint: Paint): string[] {
  const { text, origin, added } = piece
  const mark = sent ? (added === true ? '+' : '|') : '-'
  const look = (line: string): string => (sent ? line : paint(line, 'dim'))
  return [
    paint(`  ${mark} from ${visibleLine(origin)}${describeTokens(piece)}`, 'dim'),
    ...safeText(text)
      .split('\n')
      .map(line => look(`  ${mark} ${line}`.trimEnd())),
  ]
}
