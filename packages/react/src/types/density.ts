/** How much room rows, texts and gaps take. */
export type Density = 'comfortable' | 'compact'
