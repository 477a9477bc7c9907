export { type QueueHarness, type QueuePlace, testQueue } from './test-queue.ts'
