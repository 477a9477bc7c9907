/** The proxy's limits. A request that exceeds one gets an error that names it. */
export interface ProxyLimits {
  bodyBytes: number
  replyBytes: number
  /** Concurrent requests. */
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
