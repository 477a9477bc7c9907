import { useState } from 'react'

const prefix = 'argot page '

/** A page setting that this browser remembers. If it can't be stored, it lasts as long as the page. */
export function useStoredSetting<Value>(
  name: string,
  fallback: Value,
  isValid: (value: unknown) => value is Value,
): [value: Value, set: (value: Value) => void] {
  const [value, setValue] = useState(() => readStored(name, fallback, isValid))
  const set = (next: Value): void => {
    setValue(next)
    try {
      localStorage.setItem(prefix + name, JSON.stringify(next))
    } catch {
      // No storage left, or not allowed.
    }
  }
  return [value, set]
}

function readStored<Value>(name: string, fallback: Value, isValid: (value: unknown) => value is Value): Value {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(prefix + name) ?? 'null')
    return isValid(stored) ? stored : fallback
  } catch {
    return fallback
  }
}

export function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

export function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(one => typeof one === 'string')
}

export function isString(value: unknown): value is string {
  return typeof value === 'string'
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}
