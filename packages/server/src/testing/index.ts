export { type QueueHarness, testQueue } from './test-queue.ts'
