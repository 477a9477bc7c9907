/** A terminal that doesn't know its size reports 0. */
const USUAL = { columns: 80, rows: 24 }

export function getColumns({ columns }: { columns?: number }): number {
  return columns || USUAL.columns
}

export function getRows({ rows }: { rows?: number }): number {
  return rows || USUAL.rows
}
