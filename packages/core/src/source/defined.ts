/** The fields that have a value, for data that is compared or stored: there a field that is not set is not there. */
export function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // Field by field, because this runs several times for every chunk. Fields have names of this program, never `__proto__`.
  const values: { [K in keyof T]?: Exclude<T[K], undefined> } = {}
  for (const name in fields) {
    const value = fields[name]
    if (value !== undefined) values[name] = value as Exclude<T[typeof name], undefined>
  }
  return values
}
