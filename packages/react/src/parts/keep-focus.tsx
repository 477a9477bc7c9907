import { Component, createRef, type ReactNode } from 'react'
import type { Density } from '../types/density.ts'

export interface KeepFocusProps {
  stage: string
  isOpen: boolean
  callKey: string
  density?: Density | undefined
  children: ReactNode
}

/**
 * The frame of a call. If a change removes the focused element (an answer was given, a policy closed the card), the
 * focus moves to the call's summary in the same frame, so that it is never lost.
 */
export class KeepFocus extends Component<KeepFocusProps> {
  readonly #root: React.RefObject<HTMLDivElement | null> = createRef<HTMLDivElement>()

  override getSnapshotBeforeUpdate(): boolean {
    const root = this.#root.current
    return root?.contains(root.ownerDocument.activeElement) ?? false
  }

  override componentDidUpdate(_props: KeepFocusProps, _state: unknown, hadFocus: boolean): void {
    const root = this.#root.current
    if (!hadFocus || root === null || root.contains(root.ownerDocument.activeElement)) return
    root.querySelector<HTMLElement>('[data-argot-summary]')?.focus()
  }

  override render(): ReactNode {
    const { stage, isOpen, callKey, density, children } = this.props
    return (
      <div
        ref={this.#root}
        className="argot argot-call"
        data-part="card"
        data-density={density}
        data-stage={stage}
        data-open={isOpen ? '' : undefined}
        data-argot-call={callKey}
      >
        {children}
      </div>
    )
  }
}
