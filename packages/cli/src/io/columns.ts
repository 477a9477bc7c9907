/** A terminal that doesn't know its size says 0. */
const USUAL = { columns: 80, rows: 24 }

/** How wide a terminal is. */
export function getColumns({ columns }: { columns?: number }): number {
  return columns || USUAL.columns
}

/** How high a terminal is. */
export function getRows({ rows }: { rows?: number }): number {
  return rows || USUAL.rows
}
