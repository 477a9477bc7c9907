import type { ChatError } from '../types/index.ts'
import type { ChatStoreHandlers } from './chat-store-options.ts'
import { Value } from './topic.ts'

/** Calls the page's functions and reports errors. Nothing that they throw gets further. */
export class Reporter {
  readonly error: Value<ChatError | undefined> = new Value<ChatError | undefined>(undefined)
  handlers: ChatStoreHandlers

  constructor(handlers: ChatStoreHandlers) {
    this.handlers = handlers
  }

  call(callback: () => unknown): void {
    const reportFailure = (error: unknown): void => this.report('CALLBACK_ERROR', 'callback', error)
    try {
      const returned = callback()
      if (returned instanceof Promise) returned.catch(reportFailure)
    } catch (error) {
      reportFailure(error)
    }
  }

  /** Calls `onError`. The page shows the error too, unless a callback or a renderer caused it. */
  report(code: ChatError['code'], source: ChatError['source'], cause: unknown): void {
    const isFromApplication = source === 'callback' || source === 'render'
    const error: ChatError = { code, source, message: toErrorMessage(cause), retryable: !isFromApplication, cause }
    if (!isFromApplication) this.error.set(error)
    try {
      this.handlers.onError?.(error)
    } catch {
      // If the error handler itself fails, there is nowhere to report it.
    }
  }
}

export function toErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : typeof error === 'string' ? error : 'Something went wrong.'
}
