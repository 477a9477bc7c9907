/** The most characters that the values of one call may have together. */
export const MAX_CALL: number = 8 * 1024 * 1024
/** The most characters of a tool's or a parameter's name. */
export const MAX_NAME = 128
/** The most different parameters of one call. */
export const MAX_PARAMETERS = 1000
/** The deepest nesting of a JSON value. */
export const MAX_DEPTH = 512
