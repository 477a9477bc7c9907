import { Component, type ReactNode } from 'react'

export interface PartBoundaryProps {
  fallback: ReactNode
  /** Called once. */
  onError?: ((error: unknown) => void) | undefined
  children: ReactNode
}

/** Wraps the application's components: if one throws, the built-in part replaces it and the error is reported once. */
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
