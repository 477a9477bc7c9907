/** The name of the syntax of a model for which nobody has chosen one. */
export function defaultSyntax(nativeTools: boolean): string {
  return nativeTools ? 'native' : 'xml'
}
