/** A call on the strip, in milliseconds since 1970. Without `to`, it is not over. */
export interface StripCall {
  key: string
  /** Shown on hover: the call in words. */
  name: string
  from: number | undefined
  to: number | undefined
  tone: 'done' | 'live' | 'fail' | 'wait'
}
