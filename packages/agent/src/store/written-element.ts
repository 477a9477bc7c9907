import { type Attribute, type ElementNode, readEnding, type Tree } from '@argot/core/chatmd/internal'

/** The value of an attribute, or an empty string for a flag. If a name occurs twice, the last one wins. */
export function getAttribute(node: ElementNode, name: string): string | undefined {
  const attribute: Attribute | undefined = node.attributes.findLast(one => one.name === name)
  return attribute?.value === true ? '' : attribute?.value
}

export function topElements(tree: Tree): ElementNode[] {
  return tree.children.filter(node => node.type === 'element')
}

/** The top-level elements of a document, including the comments that record how a message ended. */
export function writtenElements({ source, children }: Tree): ElementNode[] {
  return children.flatMap(node => {
    if (node.type === 'element') return [node]
    const ending = node.type === 'comment' ? readEnding(source.slice(node.start, node.end), node.start) : undefined
    return ending === undefined ? [] : [ending]
  })
}

export function elementName(node: ElementNode): string {
  switch (node.name) {
    case 'tool_call':
      return `call ${getAttribute(node, 'tool_call_id') ?? ''}`
    case 'tool_response':
      return `response ${getAttribute(node, 'tool_call_id') ?? ''}`
    case 'reasoning':
      return 'reasoning'
    case 'assistant':
    case 'developer': {
      const part = getAttribute(node, 'part')
      return part === undefined && node.name === 'assistant' ? 'text' : `part ${part ?? ''}`
    }
    default:
      return `prompt ${node.name}`
  }
}

export function getReferencedFiles(node: ElementNode): string[] {
  const inside = node.children.find(child => child.type === 'element' && child.name === 'doc') as
    | ElementNode
    | undefined
  const names = [getAttribute(node, 'meta_src'), inside === undefined ? undefined : getAttribute(inside, 'src')]
  return names.filter(name => name !== undefined)
}

export function callKey(node: ElementNode): string {
  return getAttribute(node, 'key') ?? getAttribute(node, 'tool_call_id') ?? ''
}
