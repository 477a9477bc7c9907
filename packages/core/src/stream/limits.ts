// The limits of a stream. Anything beyond a limit is cut or ignored with its own diagnostic; nothing throws. Import it
// as a namespace, so that bundlers inline the numbers.

/** Levels of nesting in a JSON value. The raw text of a deeper value is kept. */
export const jsonDepth = 512
/** UTF-16 units of one call's input: 8 Mi. */
export const callLength = 8_388_608
/** UTF-16 units of a tool name. */
export const nameLength = 128
/** UTF-16 units of an id. */
export const idLength = 1024
/** Top-level keys of a call's input. */
export const parameters = 1000
/** UTF-16 units of a message, including texts, inputs and outputs: 64 Mi. */
export const messageLength = 67_108_864
/** Chunks that wait for the call they name. */
export const orphans = 1000
/** Envelopes that wait for a missing one. */
export const envelopeGap = 1000
/** Event ids stored to detect duplicates. */
export const eventIds = 1_000_000
