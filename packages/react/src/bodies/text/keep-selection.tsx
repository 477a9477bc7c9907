import { Component, type ReactNode } from 'react'

interface SelectionEnd {
  node: Node
  offset: number
  before: string
}

/**
 * Keeps a reader's selection while the text inside grows. React gives a text node a new value, and browsers then drop a
 * selection that begins or ends in it.
 */
export class KeepSelection extends Component<{ children: ReactNode }> {
  override getSnapshotBeforeUpdate(): readonly [anchor: SelectionEnd, focus: SelectionEnd] | null {
    const selection = document.getSelection()
    if (selection === null || selection.isCollapsed) return null
    const { anchorNode, anchorOffset, focusNode, focusOffset } = selection
    if (anchorNode === null || focusNode === null) return null
    return [toEnd(anchorNode, anchorOffset), toEnd(focusNode, focusOffset)]
  }

  override componentDidUpdate(
    _: unknown,
    __: unknown,
    ends: readonly [anchor: SelectionEnd, focus: SelectionEnd] | null,
  ): void {
    if (ends === null || !ends.every(isThere)) return
    const [anchor, focus] = ends
    const selection = document.getSelection()
    const isSame =
      selection?.anchorNode === anchor.node &&
      selection.anchorOffset === anchor.offset &&
      selection.focusNode === focus.node &&
      selection.focusOffset === focus.offset
    if (!isSame) selection?.setBaseAndExtent(anchor.node, anchor.offset, focus.node, focus.offset)
  }

  override render(): ReactNode {
    return this.props.children
  }
}

function toEnd(node: Node, offset: number): SelectionEnd {
  return { node, offset, before: textBefore(node, offset) }
}

function textBefore(node: Node, offset: number): string {
  return node.nodeValue?.slice(0, offset) ?? ''
}

/** Whether the end is still on the page, with the same text before it. */
function isThere({ node, offset, before }: SelectionEnd): boolean {
  const length = node.nodeValue?.length ?? node.childNodes.length
  return node.isConnected && offset <= length && textBefore(node, offset) === before
}
