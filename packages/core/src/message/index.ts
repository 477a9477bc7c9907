export * from './message.ts'
export * from './tool-definition.ts'
export * from './tool-invocation.ts'
export type * from './tool-types.ts'
