/** True for the unified format, with or without the names of the files before it. */
export function isUnifiedDiff(text: string): boolean {
  return /^(?:@@ -\d|--- [^\n]*\n\+\+\+ |diff --git )/.test(text.slice(0, 1000))
}
