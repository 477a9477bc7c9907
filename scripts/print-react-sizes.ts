import { sheets } from './join-styles.ts'
import { findSizeProblems, findStyleProblems, measureReact, measureStyles, sizeLimits } from './react-sizes.ts'

// Part of `npm run build`: prints how much a page loads, compressed and without React, and fails if that exceeds a
// limit.
const problems: string[] = []
const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`
for (const [name, { source, atOnce }] of [
  ['a tool card', sizeLimits.card],
  ['the chat box', sizeLimits.chat],
] as const) {
  const sizes = await measureReact(source)
  const later = [...sizes.later].map(([chunk, size]) => `${chunk} ${kilobytes(size)}`).join(', ')
  console.log(`@argot/react, ${name}: ${kilobytes(sizes.atOnce)} of ${kilobytes(atOnce)}; later ${later}`)
  problems.push(...findSizeProblems(name, sizes, atOnce))
}
console.log(`@argot/react, style sheets: ${sheets.map(name => `${name} ${kilobytes(measureStyles(name))}`).join(', ')}`)
problems.push(...findStyleProblems())
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
