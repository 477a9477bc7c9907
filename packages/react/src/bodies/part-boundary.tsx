import { Component, type ReactNode } from 'react'

export interface PartBoundaryProps {
  /** Shown where what is inside throws. */
  fallback: ReactNode
  /** Told once. */
  onError?: ((error: unknown) => void) | undefined
  children: ReactNode
}

/** Around what others wrote: one that throws shows the built-in part instead, and is reported once. */
export class PartBoundary extends Component<PartBoundaryProps, { hasFailed: boolean }> {
  override state: { hasFailed: boolean } = { hasFailed: false }

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true }
  }

  override componentDidCatch(error: unknown): void {
    this.props.onError?.(error)
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback : this.props.children
  }
}
