const elements = new Set(
  `a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption center cite code col
colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure font footer form frame
frameset g h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label legend li link listing main map mark
math menu meta meter nav noscript object ol optgroup option output p param path picture plaintext pre progress q rect rp rt ruby s
samp script search section select slot small source span strike strong style sub summary sup svg table tbody td template
textarea tfoot th thead time title tr track tt u ul var video wbr xmp`.split(/\s+/),
)

/** True for an HTML element's name: such a tag is more likely part of a page than a call. */
export function isHtmlElement(name: string): boolean {
  return elements.has(name.toLowerCase())
}
