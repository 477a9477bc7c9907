export interface ReasoningMark {
  open: string
  close: string
  /** Other text that ends it, such as channel marks. */
  closes?: readonly string[]
}

/**
 * The marks that every syntax knows at the start of a line. A dialect adds those that its models write within lines.
 */
export const reasoningMarks: readonly ReasoningMark[] = [
  { open: '<think>', close: '</think>' },
  { open: '<thinking>', close: '</thinking>' },
  { open: '<reasoning>', close: '</reasoning>' },
  { open: '<seed:think>', close: '</seed:think>' },
  { open: '<mm:think>', close: '</mm:think>' },
  { open: '<|START_THINKING|>', close: '<|END_THINKING|>' },
  { open: '[THINK]', close: '[/THINK]' },
]
