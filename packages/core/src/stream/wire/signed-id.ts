/** The signature has 32 bytes in base64url, as the agent's `ApprovalSigner` makes it. */
const SIGNED = /^(.*)~([\w-]{43})$/s

/** For a client whose messages have no other place for the signature. */
export function signedId(id: string, signature: string): string {
  return `${id}~${signature}`
}

export function readSignedId(text: string): { id: string; signature?: string } {
  const [, id, signature] = SIGNED.exec(text) ?? []
  return id === undefined || signature === undefined ? { id: text } : { id, signature }
}
