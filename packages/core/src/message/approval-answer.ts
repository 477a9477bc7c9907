/** What a person answers when they are asked about a call. */
export interface ApprovalAnswer {
  approved: boolean
  /** Why; the model reads it if the call is denied. */
  reason?: string
  /** The input to run the tool with instead. */
  input?: unknown
  /** A yes adds the rule `always` of the request for this run; a no holds for every later call of this tool. */
  always?: boolean
  /** Who answered. */
  by?: string
  /** When, in milliseconds since 1970. */
  at?: number
}
