import type { ErrorCode } from '@argot/core'

const mark = Symbol.for('argot.tool-failure')

/**
 * A tool refuses, or fails in a way that it understands. Any other error becomes `TOOL_FAILED`. `instanceof` works
 * across copies of the package, because a user's tool modules may bring their own.
 */
export class ToolFailure extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ToolFailure'
    this.code = code
    Object.defineProperty(this, mark, { value: true })
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: a class that extends this one is known as any class is
    return this === ToolFailure ? Object(value)[mark] === true : super[Symbol.hasInstance](value)
  }
}
