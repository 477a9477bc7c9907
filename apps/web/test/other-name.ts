/** A name that leads here and that a browser does not take for this machine: its pages are not secure. */
export const otherName = 'argot.test'
