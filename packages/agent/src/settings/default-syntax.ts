export function defaultSyntax(nativeTools: boolean): string {
  return nativeTools ? 'native' : 'xml'
}
