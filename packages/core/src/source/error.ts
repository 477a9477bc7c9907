/** Every code there is; `docs/errors.md` gives the meaning and the cure of each. */
export const errorCodes = [
  'STREAM_UNKNOWN_CHUNK',
  'STREAM_BAD_CHUNK',
  'STREAM_BAD_JSON',
  'STREAM_BAD_SEQUENCE',
  'STREAM_BAD_STATE',
  'STREAM_GAP',
  'STREAM_DUPLICATE',
  'STREAM_NO_START',
  'STREAM_NO_OPENING',
  'STREAM_ORPHAN',
  'STREAM_LATE_CHUNK',
  'STREAM_SETTLED',
  'STREAM_UNFINISHED',
  'STREAM_LONE_SURROGATE',
  'STREAM_TOO_DEEP',
  'STREAM_CALL_TOO_LONG',
  'STREAM_NAME_TOO_LONG',
  'STREAM_TOO_MANY_PARAMETERS',
  'STREAM_MESSAGE_TOO_LONG',
  'STREAM_TOO_MANY_ORPHANS',
  'STREAM_CALLBACK_FAILED',
  'SYNTAX_UNKNOWN',
  'SYNTAX_BAD_NAME',
  'SYNTAX_NAME_TAKEN',
  'SYNTAX_CANNOT_WRITE',
  'SYNTAX_PARSER_ENDED',
  'SYNTAX_UNCLOSED_CALL',
  'SYNTAX_UNCLOSED_VALUE',
  'SYNTAX_NESTED_CALL',
  'SYNTAX_NESTED_PARAMETER',
  'SYNTAX_WRONG_CLOSING',
  'SYNTAX_STRAY_TEXT',
  'SYNTAX_BAD_VALUE',
  'SYNTAX_BAD_JSON',
  'SYNTAX_MISSING_NAME',
  'SYNTAX_MISSING_PARAMETER',
  'SYNTAX_DUPLICATE_PARAMETER',
  'SYNTAX_TOO_DEEP',
  'SYNTAX_CALL_TOO_LONG',
  'SYNTAX_NAME_TOO_LONG',
  'SYNTAX_TOO_MANY_PARAMETERS',
] as const

export type ErrorCode = (typeof errorCodes)[number]

/** The one class that is thrown, for misuse only. Tell errors apart by `code`, never by message. */
export class ArgotError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ArgotError'
    this.code = code
  }
}
