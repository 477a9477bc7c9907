/** The part of a `pg` connection that Argot uses. */
export interface PostgresClient {
  /** The server process of the connection, as reported when it began. */
  readonly processID?: number | null | undefined
  query(query: PostgresQuery): Promise<PostgresResult>
  release(error?: boolean): void
  on(event: 'notification', listener: (message: { payload?: string | undefined }) => void): unknown
  on(event: 'error' | 'end', listener: (error?: Error) => void): unknown
  off(event: 'error', listener: (error?: Error) => void): unknown
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

/** The part of a `pg` pool that Argot uses. Pass a `Pool` from `pg`. */
export interface PostgresPool {
  query(query: PostgresQuery): Promise<PostgresResult>
  connect(): Promise<PostgresClient>
  end(): Promise<void>
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'connect', listener: (client: PostgresClient) => void): unknown
}

/** Runs work on one connection. After a failure it isn't reused, so its transaction ends. */
export async function useClient<Value>(
  pool: PostgresPool,
  work: (client: PostgresClient) => Promise<Value>,
): Promise<Value> {
  const client = await pool.connect()
  // Without a listener, a dropped connection would end the process. The current statement fails anyway.
  const ignore = (): void => {}
  client.on('error', ignore)
  try {
    const value = await work(client)
    client.release()
    client.off('error', ignore)
    return value
  } catch (error) {
    client.release(true)
    throw error
  }
}
