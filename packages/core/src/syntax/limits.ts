import { callLength, jsonDepth, nameLength, parameters } from '../stream/limits.ts'

// A call read from text has the same limits as a call in a stream: what one accepts, the other does too.

/** The most characters of one call's values together. */
export const MAX_CALL: number = callLength
/** The most characters of a tool's or a parameter's name. */
export const MAX_NAME: number = nameLength
/** The most distinct parameters of one call. */
export const MAX_PARAMETERS: number = parameters
/** The deepest nesting of a parameter's value. The object that holds the parameters is a level too. */
export const MAX_DEPTH: number = jsonDepth - 1
