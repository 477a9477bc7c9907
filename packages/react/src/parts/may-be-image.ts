/** Whether an output may be a picture: a quick look, so that only those that may be are looked at closely. */
export function mayBeImage(output: unknown): boolean {
  if (typeof output === 'string') return output.startsWith('data:image/')
  const one: unknown = Array.isArray(output) && output.length === 1 ? output[0] : output
  if (typeof one !== 'object' || one === null) return false
  return ['mimeType', 'mediaType', 'mime_type', 'content'].some(key => Object.hasOwn(one, key))
}
