export { createProxy } from './create-proxy.ts'
