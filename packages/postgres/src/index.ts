export type { PostgresPool } from './database/pool.ts'
export { migrate } from './migrate.ts'
export { postgresQueue } from './queue/postgres-queue.ts'
export { type PostgresStore, postgresStore } from './store/postgres-store.ts'
