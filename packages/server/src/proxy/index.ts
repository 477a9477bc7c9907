/** An endpoint that makes tool calls of what a local model writes into its text, for any client. */
export { createProxy } from './create-proxy.ts'
