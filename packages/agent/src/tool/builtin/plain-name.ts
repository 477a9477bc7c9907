/** A name from the disk for a list: on one line, whatever it contains. */
export function plainName(name: string): string {
  return name.replace(/[\u0000-\u001f\u007f\u2028\u2029]/g, '\ufffd')
}
