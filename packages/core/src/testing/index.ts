export { testConformance } from './conformance.ts'
export { joinDeltas } from './join-deltas.ts'
