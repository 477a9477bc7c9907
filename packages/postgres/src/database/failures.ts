import { ArgotError } from '@argot/core'

/** The database shuts down, starts, fails over to a replica, or has no connection left. */
const unavailableCodes: ReadonlySet<string> = new Set(['57P01', '57P02', '57P03', '25006', '53300', '55P03'])
const networkCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])
/** Two statements conflicted. Each is one transaction, so it can be repeated. */
const conflictCodes: ReadonlySet<string> = new Set(['40001', '40P01'])

/** The same statement may succeed a moment later. */
export function isTemporary(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = (error as { code?: unknown }).code
  if (typeof code === 'string' && (unavailableCodes.has(code) || networkCodes.has(code) || conflictCodes.has(code)))
    return true
  if (typeof code === 'string' && code.startsWith('08')) return true
  return (
    code === undefined &&
    /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered)/.test(error.message)
  )
}

export function isDuplicate(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === '23505'
}

export function unavailable(cause: unknown): ArgotError {
  const error = new ArgotError(
    'STORE_UNAVAILABLE',
    'The database is not answering. Nothing is lost. Try again in a moment.',
  )
  error.cause = cause
  return error
}

export function leaseLost(path: string): ArgotError {
  return new ArgotError(
    'RUN_LEASE_LOST',
    `Another process has taken over \`${path}\`, so this run can't write anymore.`,
  )
}

export function fileChanged(path: string): ArgotError {
  const message = `Another program changed \`${path}\`, so it was not overwritten. Read it again.`
  return new ArgotError('RUN_FILE_CHANGED', message)
}

export function outputExists(path: string): ArgotError {
  const cure = 'Run that document itself to continue it, remove it, or choose another name.'
  return new ArgotError('RUN_OUTPUT_EXISTS', `\`${path}\` already exists. ${cure}`)
}

/** The error that a file system would give. */
export function noDocument(path: string): Error {
  return Object.assign(new Error(`There is no document \`${path}\`.`), { code: 'ENOENT' })
}
