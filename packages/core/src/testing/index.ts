export { type ConformanceOptions, type LawName, type TestFunction, testConformance } from './conformance.ts'
export { joinDeltas, textOf } from './join-deltas.ts'
export type { Place } from './law.ts'
