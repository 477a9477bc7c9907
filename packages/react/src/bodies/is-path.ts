/** Whether a subject reads as a path or an address, which is cut in its middle: commands are cut at their end. */
export function isPath(text: string): boolean {
  return !/\s/.test(text) && (/[\\/]/.test(text) || /^[\w.-]+\.\w{1,8}$/.test(text))
}
