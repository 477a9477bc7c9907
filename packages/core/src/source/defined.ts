/** What is left of a type when its fields may be missing and are never undefined. */
type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** The fields that have a value, for data that is compared or stored: there a field that is not set is not there. */
export function defined<T extends object>(fields: T): Defined<T> {
  // Field by field, because this runs several times for every chunk. Fields have names of this program, never `__proto__`.
  const values: Record<string, unknown> = {}
  for (const name in fields) if (fields[name] !== undefined) values[name] = fields[name]
  return values as Defined<T>
}
