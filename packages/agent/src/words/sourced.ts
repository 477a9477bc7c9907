/** A value and its origin: a file's path in `Settings`, a short description for people in resolved values. */
export interface Sourced<T> {
  value: T
  from: string
}
