// The states of a JSON reader. Import it as a namespace, so that bundlers inline the numbers.

export const Value = 0
export const FirstItem = 1
export const FirstKey = 2
export const Key = 3
export const Colon = 4
export const After = 5
export const Text = 6
export const Escape = 7
export const Unicode = 8
export const Numeral = 9
export const Literal = 10
export const Done = 11
