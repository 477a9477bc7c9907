import type { Attribute, ElementNode, Tree } from '@argot/core/chatmd/internal'

/** The value of an attribute; a flag counts as the empty string. The last one of a name wins. */
export function attributeOf(node: ElementNode, name: string): string | undefined {
  const found: Attribute | undefined = node.attributes.findLast(one => one.name === name)
  return found?.value === true ? '' : found?.value
}

/** The elements at the top of a document. */
export function topElements(tree: Tree): ElementNode[] {
  return tree.children.filter(node => node.type === 'element')
}

/** What an element of a run is, as `RunElement` names it. */
export function elementName(node: ElementNode): string {
  const id = attributeOf(node, 'id') ?? ''
  const key = callKey(node)
  switch (node.name) {
    case 'tool_call':
      return `call ${key}`
    case 'tool_response':
      return `response ${key}`
    case 'reasoning':
      return `reasoning ${id}`
    default: {
      const part = attributeOf(node, 'part')
      return part === undefined ? `text ${id}` : `part ${part}`
    }
  }
}

/** The files that an element refers to, as it names them. */
export function filesOf(node: ElementNode): string[] {
  const inside = node.children.find(child => child.type === 'element' && child.name === 'doc') as
    | ElementNode
    | undefined
  const names = [attributeOf(node, 'meta_src'), inside === undefined ? undefined : attributeOf(inside, 'src')]
  return names.filter(name => name !== undefined)
}

/** The key of the call that an element is about. */
export function callKey(node: ElementNode): string {
  return attributeOf(node, 'key') ?? attributeOf(node, 'tool_call_id') ?? ''
}
