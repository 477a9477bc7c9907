/** One language's numbers, dates and plurals, using `Intl`. */
export interface PageFormats {
  number: (value: number) => string
  time: (date: Date) => string
  date: (date: Date) => string
  /** "15.4 s", "3 min 5 s", in the language's units. */
  seconds: (milliseconds: number) => string
  /** The form for this count; `other` if the language has no separate form for it. */
  plural: (count: number, forms: Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }) => string
}

export function createFormats(language: string): PageFormats {
  const numbers = new Intl.NumberFormat(language)
  const rules = new Intl.PluralRules(language)
  const times = new Intl.DateTimeFormat(language, { timeStyle: 'medium', hourCycle: 'h23' })
  const dates = new Intl.DateTimeFormat(language)
  const unit = (name: string, digits: number): Intl.NumberFormat =>
    new Intl.NumberFormat(language, {
      style: 'unit',
      unit: name,
      unitDisplay: 'short',
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    })
  const [tenths, wholes, minutes] = [unit('second', 1), unit('second', 0), unit('minute', 0)]
  return {
    number: value => numbers.format(value),
    time: date => times.format(date),
    date: date => dates.format(date),
    seconds: milliseconds => {
      const all = milliseconds / 1000
      if (all < 100) return tenths.format(all)
      return `${minutes.format(Math.floor(all / 60))} ${wholes.format(Math.round(all % 60))}`
    },
    plural: (count, forms) => `${numbers.format(count)} ${forms[rules.select(count)] ?? forms.other}`,
  }
}
