import { callLength, jsonDepth, nameLength, parameters } from '../stream/limits.ts'

// A call that is read from text has the limits of a call in a stream: what one lets through, the other takes.

/** The most characters that the values of one call may have together. */
export const MAX_CALL: number = callLength
/** The most characters of a tool's or a parameter's name. */
export const MAX_NAME: number = nameLength
/** The most different parameters of one call. */
export const MAX_PARAMETERS: number = parameters
/** The deepest nesting of the value of a parameter: the object of the parameters is a level too. */
export const MAX_DEPTH: number = jsonDepth - 1
