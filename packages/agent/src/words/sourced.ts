/** A value, and where it came from: in `Settings` the path of a file, in what was resolved a few words for a person. */
export interface Sourced<T> {
  value: T
  from: string
}
