export * from './message/index.ts'
export * from './source/index.ts'
export * from './stream/index.ts'
