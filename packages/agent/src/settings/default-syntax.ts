/** The name of a model's syntax if none is chosen. */
export function defaultSyntax(nativeTools: boolean): string {
  return nativeTools ? 'native' : 'xml'
}
