/** The part of a `pg` connection that Argot uses. */
export interface PostgresClient {
  query(query: PostgresQuery): Promise<PostgresResult>
  release(error?: boolean): void
  on(event: 'notification', listener: (message: { payload?: string | undefined }) => void): unknown
  on(event: 'error' | 'end', listener: (error?: Error) => void): unknown
}

export interface PostgresQuery {
  text: string
  values?: unknown[]
  /** Prepared once per connection under this name. */
  name?: string
}

export interface PostgresResult {
  // biome-ignore lint/suspicious/noExplicitAny: what a row has is in its statement
  rows: any[]
}

/** The part of a `pg` pool that Argot uses: pass a `Pool` of `pg`. */
export interface PostgresPool {
  query(query: PostgresQuery): Promise<PostgresResult>
  connect(): Promise<PostgresClient>
  end(): Promise<void>
  on(event: 'error', listener: (error: Error) => void): unknown
}
