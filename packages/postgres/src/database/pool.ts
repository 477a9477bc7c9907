/** The part of a `pg` connection that Argot uses. */
export interface PostgresClient {
  /** The process that serves it, as the server said when the connection began. */
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

/** The part of a `pg` pool that Argot uses: pass a `Pool` of `pg`. */
export interface PostgresPool {
  query(query: PostgresQuery): Promise<PostgresResult>
  connect(): Promise<PostgresClient>
  end(): Promise<void>
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'connect', listener: (client: PostgresClient) => void): unknown
}

/** Does something with one connection. It is not used again after a failure, so a transaction ends with it. */
export async function useClient<Value>(
  pool: PostgresPool,
  work: (client: PostgresClient) => Promise<Value>,
): Promise<Value> {
  const client = await pool.connect()
  // Without a listener, a connection that drops would end the process. The statement on its way fails anyway.
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
