/** A terminal that doesn't know its size reports 0. */
const DEFAULT_SIZE = { columns: 80, rows: 24 }

export function getColumns({ columns }: { columns?: number }): number {
  return columns || DEFAULT_SIZE.columns
}

export function getRows({ rows }: { rows?: number }): number {
  return rows || DEFAULT_SIZE.rows
}
