/** A question's signature, as `approvalKey` makes it: 32 bytes in base64url. */
const SIGNED = /^(.*)~([\w-]{43})$/s

/** A question's id with its signature in it, for a client whose messages have no other place for one. */
export function signedId(id: string, signature: string): string {
  return `${id}~${signature}`
}

export function readSignedId(text: string): { id: string; signature?: string } {
  const [, id, signature] = SIGNED.exec(text) ?? []
  return id === undefined || signature === undefined ? { id: text } : { id, signature }
}
