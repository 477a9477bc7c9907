/** The token in the fragment of an address; what cannot be decoded is taken as it is, and the server refuses it. */
export function tokenIn(hash: string): string | undefined {
  const token = /^#token=(.+)$/s.exec(hash)?.[1]
  if (token === undefined) return undefined
  try {
    return decodeURIComponent(token)
  } catch {
    return token
  }
}
