/** What a proxy bears. A client that asks for more gets an error that names the limit. */
export interface ProxyLimits {
  /** The longest request, in bytes. */
  bodyBytes: number
  /** The longest reply of the upstream, in bytes. */
  replyBytes: number
  /** Requests that are open at a time. */
  streams: number
  /** Requests on the debug page. */
  debugRecords: number
}

export const defaultProxyLimits: ProxyLimits = {
  bodyBytes: 64 * 1024 * 1024,
  replyBytes: 64 * 1024 * 1024,
  streams: 2000,
  debugRecords: 50,
}
