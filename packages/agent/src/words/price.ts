/** What a model costs, in any currency, per million tokens. */
export interface Price {
  input: number
  output: number
}
