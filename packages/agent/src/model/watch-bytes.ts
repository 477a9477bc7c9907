/** Reports arriving bytes: a live server may send them long before the model's first word. */
export interface WatchedFetch {
  fetch: typeof fetch
  onBytes(listener: () => void): () => void
}

/** The same `fetch`, which also listens to the bodies of its streams. */
export function watchBytes(inner: typeof fetch = (...request) => globalThis.fetch(...request)): WatchedFetch {
  const listeners = new Set<() => void>()
  const notify = (): void => {
    for (const listener of listeners) listener()
  }
  return {
    fetch: async (...request) => {
      const response = await inner(...request)
      notify()
      const { body, status, statusText, headers } = response
      if (body === null || !headers.get('content-type')?.includes('event-stream')) return response
      return new Response(watchBody(body, notify), { status, statusText, headers })
    },
    onBytes: listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Reads on demand. */
function watchBody(body: ReadableStream<Uint8Array>, notify: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read()
        if (done) return controller.close()
        notify()
        controller.enqueue(value)
      },
      cancel: reason => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
