/** One way of reading a stream to its end, with everything that is new read after every chunk. */
export interface Row {
  name: string
  /** Ten times the stream must cost ten times the time. */
  linear?: boolean
  /** The largest of 1, 10 and 100 that is measured; beyond it would take minutes. */
  upTo: number
  /** Reads the whole stream of this size; what is made beforehand is not measured. */
  prepare(size: number): () => unknown
}

/** Rows that read the same stream. */
export interface ReadingTable {
  name: string
  unit: string
  /** The size of 1×. */
  base: number
  rows: readonly Row[]
}
