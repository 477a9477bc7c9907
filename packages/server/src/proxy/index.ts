/** An endpoint for any client that turns calls that a local model writes as text into tool calls. */
export { createProxy } from './create-proxy.ts'
