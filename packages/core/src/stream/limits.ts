// The limits of a stream. What goes past one is cut or ignored with its own diagnostic; nothing throws. To be imported as a
// namespace: bundlers then put the numbers in.

/** Levels of nesting in a JSON value; the raw text of a deeper one is kept. */
export const jsonDepth = 512
/** UTF-16 units of one call's input: 8 Mi. */
export const callLength = 8_388_608
/** UTF-16 units of a tool name. */
export const nameLength = 128
/** UTF-16 units of an id. */
export const idLength = 1024
/** Top-level keys of a call's input. */
export const parameters = 1000
/** UTF-16 units of a message, texts, inputs and outputs together: 64 Mi. */
export const messageLength = 67_108_864
/** Chunks that wait for a call they name. */
export const orphans = 1000
/** Envelopes that wait for one that is missing. */
export const envelopeGap = 1000
/** Event ids that are remembered to find duplicates. */
export const eventIds = 1_000_000
