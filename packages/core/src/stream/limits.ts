/** The limits of a stream. What goes past one is cut or ignored with its own diagnostic; nothing throws. */
export const limits = {
  /** Levels of nesting in a JSON value; the raw text of a deeper one is kept. */
  jsonDepth: 512,
  /** UTF-16 units of one call's input: 8 Mi. */
  callLength: 8_388_608,
  /** UTF-16 units of a tool name. */
  nameLength: 128,
  /** UTF-16 units of an id. */
  idLength: 1024,
  /** Top-level keys of a call's input. */
  parameters: 1000,
  /** UTF-16 units of a message, texts, inputs and outputs together: 64 Mi. */
  messageLength: 67_108_864,
  /** Chunks that wait for a call they name. */
  orphans: 1000,
  /** Envelopes that wait for one that is missing. */
  envelopeGap: 1000,
  /** Event ids that are remembered to find duplicates. */
  eventIds: 1_000_000,
} as const
