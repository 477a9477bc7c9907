/** A model's price per million tokens, in any currency. */
export interface Price {
  input: number
  output: number
}
