type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** Leaves out fields without a value, for data that is compared or stored: an unset field must be absent. */
export function defined<T extends object>(fields: T): Defined<T> {
  // Field by field, because this runs several times for every chunk. Field names come from this program and are never
  // `__proto__`.
  const values: Record<string, unknown> = {}
  for (const name in fields) if (fields[name] !== undefined) values[name] = fields[name]
  return values as Defined<T>
}
