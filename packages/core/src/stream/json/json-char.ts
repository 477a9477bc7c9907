// The characters of JSON syntax, as codes. Import it as a namespace, so that bundlers inline the numbers.

export const Tab = 9
export const Newline = 10
export const Return = 13
export const Space = 32
export const Quote = 34
export const Comma = 44
export const Minus = 45
export const Zero = 48
export const Nine = 57
export const Colon = 58
export const OpenBracket = 91
export const Backslash = 92
export const CloseBracket = 93
export const LowerA = 97
export const LowerU = 117
export const LowerZ = 122
export const OpenBrace = 123
export const CloseBrace = 125
