/** One line of a chart: how long a row took at each size; undefined where it was not measured. */
export interface ChartLine {
  name: string
  /** Argot's own rows are drawn thick, those of others dashed. */
  own: boolean
  times: readonly (number | undefined)[]
}

export interface ChartPanel {
  name: string
  sizes: readonly string[]
  lines: readonly ChartLine[]
}

const width = 480
const plot = { left: 64, top: 56, width: 368, height: 250 }
const ownColours = ['#0b7285', '#2b8a3e', '#5f3dc4'] as const
const peerColours = ['#e8590c', '#c2255c', '#868e96', '#a0700b', '#495057'] as const
const lineHeight = 18
/** How far apart the figures at the end of lines are at least. */
const figureHeight = 12

interface Drawn extends ChartLine {
  colour: string
  points: readonly { x: number; y: number; time: number }[]
}

/**
 * Draws panels, two in a row: CPU time over size, both logarithmic. One step to the right is ten times the stream, one
 * line of the grid up ten times the time, so that linear work goes one line up per step and quadratic work two.
 */
export function growthChart(panels: readonly ChartPanel[]): string {
  const longest = Math.max(...panels.map(panel => panel.lines.length))
  const height = plot.top + plot.height + 48 + longest * lineHeight
  const rows = Math.ceil(panels.length / 2)
  const drawn = panels.map((panel, index) => {
    const at = `${(index % 2) * width} ${28 + Math.floor(index / 2) * height}`
    return `<g transform="translate(${at})">\n${draw(panel)}\n</g>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${2 * width} ${28 + rows * height}" font-family="system-ui, sans-serif" font-size="12">
<title>CPU time over the size of the stream, Argot beside others</title>
<rect width="100%" height="100%" fill="#fff"/>
<text x="${plot.left}" y="30" fill="#495057">CPU ms, everything that is new read after every chunk. Thick: Argot. Dashed: others. Both axes are logarithmic.</text>
${drawn.join('\n')}
</svg>
`
}

function draw(panel: ChartPanel): string {
  const times = panel.lines.flatMap(line => line.times.filter(time => time !== undefined))
  const low = Math.floor(Math.log10(Math.min(...times)))
  const high = Math.ceil(Math.log10(Math.max(...times)))
  const step = plot.width / (panel.sizes.length - 1)
  const x = (index: number): number => round(plot.left + index * step)
  const y = (time: number): number => round(plot.top + plot.height * (1 - (Math.log10(time) - low) / (high - low)))
  const lines = colour(panel.lines).map(line => ({
    ...line,
    points: line.times.flatMap((time, size) => (time === undefined ? [] : [{ x: x(size), y: y(time), time }])),
  }))

  const pieces = [`<text x="${plot.left}" y="36" font-size="15" font-weight="600">${escapeXml(panel.name)}</text>`]
  for (let power = low; power <= high; power++) {
    const at = y(10 ** power)
    const words = (10 ** power).toLocaleString('en', { maximumFractionDigits: 6 }).replaceAll(',', ' ')
    pieces.push(`<path d="M${plot.left} ${at}h${plot.width}" stroke="#dee2e6"/>`)
    pieces.push(`<text x="${plot.left - 8}" y="${at + 4}" text-anchor="end" fill="#495057">${words}</text>`)
  }
  for (const [index, size] of panel.sizes.entries()) {
    const anchor = index === 0 ? 'start' : index === panel.sizes.length - 1 ? 'end' : 'middle'
    const at = `x="${x(index)}" y="${plot.top + plot.height + 18}"`
    pieces.push(`<path d="M${x(index)} ${plot.top}v${plot.height}" stroke="#f1f3f5"/>`)
    pieces.push(`<text ${at} text-anchor="${anchor}" fill="#495057">${escapeXml(size)}</text>`)
  }
  for (const line of lines) pieces.push(drawLine(line))
  pieces.push(...drawFigures(lines), ...drawLegend(lines))
  return pieces.join('\n')
}

function colour(lines: readonly ChartLine[]): Omit<Drawn, 'points'>[] {
  const next = { own: 0, peer: 0 }
  return lines.map(line => {
    const colours = line.own ? ownColours : peerColours
    return { ...line, colour: colours[(line.own ? next.own++ : next.peer++) % colours.length]! }
  })
}

function drawLine({ points, colour: stroke, own }: Drawn): string {
  const path = points.map(point => `${point.x} ${point.y}`).join('L')
  const dots = points.map(point => `<circle cx="${point.x}" cy="${point.y}" r="${own ? 4 : 3}" fill="${stroke}"/>`)
  const look = own ? 'stroke-width="3.5"' : 'stroke-width="1.75" stroke-dasharray="6 4"'
  return [`<path d="M${path}" fill="none" stroke="${stroke}" ${look}/>`, ...dots].join('\n')
}

/** The milliseconds at the end of each line, moved apart where they would cover each other. */
function drawFigures(lines: readonly Drawn[]): string[] {
  const ends = lines.flatMap(({ points, colour: fill }) => {
    const last = points.at(-1)
    return last === undefined ? [] : [{ ...last, fill }]
  })
  const lowest = new Map<number, number>()
  return ends
    .sort((a, b) => a.y - b.y)
    .map(({ x, y, time, fill }) => {
      const at = Math.max(y + 4, (lowest.get(x) ?? 0) + figureHeight)
      lowest.set(x, at)
      const look = `fill="${fill}" font-weight="600" font-size="11" stroke="#fff" stroke-width="3" paint-order="stroke"`
      return `<text x="${x + 8}" y="${round(at)}" ${look}>${figure(time)}</text>`
    })
}

function drawLegend(lines: readonly Drawn[]): string[] {
  return lines.map(({ name, colour: stroke, own }, index) => {
    const y = plot.top + plot.height + 46 + index * lineHeight
    const look = own ? 'stroke-width="3.5"' : 'stroke-width="1.75" stroke-dasharray="6 4"'
    const mark = `<path d="M${plot.left} ${y - 4}h22" stroke="${stroke}" ${look}/>`
    return `${mark}<text x="${plot.left + 30}" y="${y}"${own ? ' font-weight="600"' : ''}>${escapeXml(name)}</text>`
  })
}

/** Three digits that count. */
function figure(time: number): string {
  return time >= 100 ? String(Math.round(time)) : String(Number(time.toPrecision(2)))
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
