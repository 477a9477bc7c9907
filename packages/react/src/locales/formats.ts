/** One language's numbers, times, sizes and plurals, using `Intl`. */
export interface Formats {
  number: (value: number) => string
  /** The count with its form; `other` if the language has no separate form for this count. */
  plural: (count: number, forms: PluralForms) => string
  /** The form alone. */
  form: (count: number, forms: PluralForms) => string
  /** "8,4 Sek.", "3 Min. 5 Sek.", "2 Std. 5 Min." */
  duration: (milliseconds: number) => string
  /** "14:05:40" */
  clock: (milliseconds: number) => string
  /** "14:05", with the day unless it is today. */
  minute: (milliseconds: number) => string
  bytes: (count: number) => string
}

export type PluralForms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }

export function createFormats(language: string): Formats {
  const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 3 })
  const rules = new Intl.PluralRules(language)
  const clocks = new Intl.DateTimeFormat(language, { timeStyle: 'medium', hourCycle: 'h23' })
  const minutes = new Intl.DateTimeFormat(language, { timeStyle: 'short', hourCycle: 'h23' })
  const days = new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric' })
  const form = (count: number, forms: PluralForms): string => forms[rules.select(count)] ?? forms.other
  const inUnit = (value: number, unit: string, digits = 0): string =>
    new Intl.NumberFormat(language, {
      style: 'unit',
      unit,
      unitDisplay: 'short',
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    }).format(value)
  const inTwo = (value: number, large: string, small: string): string => {
    const rest = value % 60
    const head = inUnit(Math.floor(value / 60), large)
    return rest === 0 ? head : `${head} ${inUnit(rest, small)}`
  }
  const dated = (milliseconds: number, format: (date: Date) => string): string => {
    const date = new Date(milliseconds)
    return Number.isNaN(date.getTime()) ? '' : format(date)
  }
  return {
    number: value => numbers.format(value),
    plural: (count, forms) => `${numbers.format(count)} ${form(count, forms)}`,
    form,
    duration: milliseconds => {
      const seconds = Math.max(0, milliseconds) / 1000
      if (seconds < 10) return inUnit(Math.floor(seconds * 10) / 10, 'second', 1)
      const whole = Math.floor(seconds)
      if (whole < 60) return inUnit(whole, 'second')
      return whole < 3600 ? inTwo(whole, 'minute', 'second') : inTwo(Math.floor(whole / 60), 'hour', 'minute')
    },
    clock: milliseconds => dated(milliseconds, date => clocks.format(date)),
    minute: milliseconds =>
      dated(milliseconds, date => {
        const time = minutes.format(date)
        return date.toDateString() === new Date().toDateString() ? time : `${days.format(date)}, ${time}`
      }),
    bytes: count => {
      if (count < 1000) return inUnit(count, 'byte')
      const [value, unit] = count < 999_500 ? [count / 1000, 'kilobyte'] : [count / 1_000_000, 'megabyte']
      return inUnit(value, unit, value < 9.95 ? 1 : 0)
    },
  }
}

/** The beginning of a long text, for a button's name. */
export function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 39)}…` : text
}
