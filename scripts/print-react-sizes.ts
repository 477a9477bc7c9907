import { sheets } from './join-styles.ts'
import { overSize, overStyles, reactSizes, sizeLimits, styleSize } from './react-sizes.ts'

// The part of `npm run build` that says how much a page loads, compressed and without React, and fails where it is more
// than promised.
const problems: string[] = []
const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`
for (const [name, { source, atOnce }] of [
  ['a tool card', sizeLimits.card],
  ['the chat box', sizeLimits.chat],
] as const) {
  const sizes = await reactSizes(source)
  const later = [...sizes.later].map(([chunk, size]) => `${chunk} ${kilobytes(size)}`).join(', ')
  console.log(`@argot/react, ${name}: ${kilobytes(sizes.atOnce)} of ${kilobytes(atOnce)}; later ${later}`)
  problems.push(...overSize(name, sizes, atOnce))
}
console.log(`@argot/react, style sheets: ${sheets.map(name => `${name} ${kilobytes(styleSize(name))}`).join(', ')}`)
problems.push(...overStyles())
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
