import type { DebugRecord } from './debug/debug-log.ts'

export function describeRecord({ method, path, model, status, ms, mode, attempts, error }: DebugRecord): string {
  const last = attempts.at(-1)
  const words = [`${method} ${path}`, model ?? '-', String(status), `${((ms ?? 0) / 1000).toFixed(1)} s`, mode]
  if (last !== undefined) {
    const dialects = [...new Set(last.calls.map(({ dialect }) => dialect))]
    const count = last.calls.length
    words.push(count === 0 ? 'no calls' : `${count} ${count === 1 ? 'call' : 'calls'} (${dialects.join(', ')})`)
  }
  if (attempts.length > 1) words.push(`asked ${attempts.length} times`)
  const remarks = attempts.flatMap(attempt => attempt.remarks)
  const types = [...new Set(remarks.map(({ type }) => type))]
  for (const type of types) {
    const { message } = remarks.find(remark => remark.type === type)!
    words.push(`${type}: ${message}`)
  }
  if (error !== undefined) words.push(`error: ${error}`)
  return words.map(word => oneLine(word)).join('  ')
}

/** Removes control characters from models and clients, so that none reaches the terminal. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').slice(0, 300)
}
