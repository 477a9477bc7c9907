export { KillPoint } from './kill-point.ts'
export type { StorePlace } from './store-harness.ts'
export { testStore } from './test-store.ts'
