export { KillPoint } from './kill-point.ts'
export type { StoreAccident, StoreHarness, StorePlace, StoreTestFunction } from './store-harness.ts'
export { testStore } from './test-store.ts'
