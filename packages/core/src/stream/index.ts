export * from './chunk.ts'
