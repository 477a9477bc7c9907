/** One line of a chart: how long a row took at each size; undefined where it was not measured. */
export interface ChartLine {
  name: string
  /** Argot's own rows are drawn thick. */
  own: boolean
  times: readonly (number | undefined)[]
}

export interface ChartPanel {
  name: string
  sizes: readonly string[]
  lines: readonly ChartLine[]
}

const width = 400
const plot = { left: 56, top: 44, width: 300, height: 220 }
const colours = ['#0b7285', '#2b8a3e', '#5f3dc4', '#e8590c', '#c2255c', '#868e96'] as const
const lineHeight = 17

/** Draws panels side by side, time over size, both logarithmic: a straight line at 45 degrees is linear. */
export function growthChart(panels: readonly ChartPanel[]): string {
  const longest = Math.max(...panels.map(panel => panel.lines.length))
  const height = plot.top + plot.height + 40 + longest * lineHeight
  const drawn = panels.map((panel, index) => `<g transform="translate(${index * width} 0)">\n${draw(panel)}\n</g>`)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${panels.length * width} ${height}" font-family="system-ui, sans-serif" font-size="11">
<title>CPU time over the size of the stream</title>
<rect width="100%" height="100%" fill="#fff"/>
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

  const pieces = [`<text x="${plot.left}" y="24" font-size="14" font-weight="600">${escapeXml(panel.name)}</text>`]
  for (let power = low; power <= high; power++) {
    const at = y(10 ** power)
    pieces.push(`<path d="M${plot.left} ${at}h${plot.width}" stroke="#dee2e6"/>`)
    pieces.push(`<text x="${plot.left - 6}" y="${at + 4}" text-anchor="end" fill="#495057">${10 ** power} ms</text>`)
  }
  for (const [index, size] of panel.sizes.entries()) {
    const at = `x="${x(index)}" y="${plot.top + plot.height + 16}"`
    pieces.push(`<text ${at} text-anchor="middle" fill="#495057">${escapeXml(size)}</text>`)
  }
  for (const [index, line] of panel.lines.entries()) {
    const colour = colours[index % colours.length]!
    const points = line.times.flatMap((time, size) => (time === undefined ? [] : [{ x: x(size), y: y(time) }]))
    const path = points.map(point => `${point.x} ${point.y}`).join('L')
    pieces.push(`<path d="M${path}" fill="none" stroke="${colour}" stroke-width="${line.own ? 3 : 1.5}"/>`)
    for (const point of points) pieces.push(`<circle cx="${point.x}" cy="${point.y}" r="3" fill="${colour}"/>`)
    const legend = plot.top + plot.height + 40 + index * lineHeight
    pieces.push(`<rect x="${plot.left}" y="${legend - 7}" width="14" height="${line.own ? 4 : 2}" fill="${colour}"/>`)
    pieces.push(`<text x="${plot.left + 20}" y="${legend}">${escapeXml(line.name)}</text>`)
  }
  return pieces.join('\n')
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
