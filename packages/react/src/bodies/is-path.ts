/** Whether a subject looks like a path or an address, which is cut in the middle; commands are cut at the end. */
export function isPath(text: string): boolean {
  return !/\s/.test(text) && (/[\\/]/.test(text) || /^[\w.-]+\.\w{1,8}$/.test(text))
}
