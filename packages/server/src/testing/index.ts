export { testQueue } from './test-queue.ts'
