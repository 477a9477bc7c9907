/** An endpoint that makes tool calls of what a local model writes into its text, for any client. */
export { type ArgotProxy, createProxy, type ProxyOptions } from './create-proxy.ts'
export type { ProxyLimits } from './proxy-limits.ts'
