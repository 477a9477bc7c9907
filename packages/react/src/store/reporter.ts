import type { ChatError } from '../types/index.ts'
import type { ChatStoreHandlers } from './chat-store-options.ts'
import { Value } from './topic.ts'

/** Calls the functions that a page gave, and tells of what went wrong. Nothing that they throw gets further. */
export class Reporter {
  readonly error: Value<ChatError | undefined> = new Value<ChatError | undefined>(undefined)
  handlers: ChatStoreHandlers

  constructor(handlers: ChatStoreHandlers) {
    this.handlers = handlers
  }

  /** Calls a function of the page; what it throws or rejects with is reported. */
  call(callback: () => unknown): void {
    const failed = (error: unknown): void => this.report('CALLBACK_ERROR', 'callback', error)
    try {
      const returned = callback()
      if (returned instanceof Promise) returned.catch(failed)
    } catch (error) {
      failed(error)
    }
  }

  /** Tells `onError`; the page shows it too, unless it is the fault of a callback or a renderer. */
  report(code: ChatError['code'], source: ChatError['source'], cause: unknown): void {
    const isOurs = source === 'callback' || source === 'render'
    const error: ChatError = { code, source, message: toErrorMessage(cause), retryable: !isOurs, cause }
    if (!isOurs) this.error.set(error)
    try {
      this.handlers.onError?.(error)
    } catch {
      // An error handler that fails has nobody to tell.
    }
  }
}

export function toErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : typeof error === 'string' ? error : 'Something went wrong.'
}
