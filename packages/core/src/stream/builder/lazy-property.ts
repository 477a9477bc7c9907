const CAPTURE = Symbol('argot.capture')

export interface LazyValue {
  readonly value: unknown
}

/**
 * Gives `object` an own, enumerable property that is built when it is first read. Spread, JSON and `structuredClone`
 * treat it like any other. An object can have only one.
 */
export function defineLazily(object: object, name: 'input' | 'metadata', capture: LazyValue): void {
  hidden.value = capture
  Object.defineProperty(object, CAPTURE, hidden)
  Object.defineProperty(object, name, lazy)
}

/** One descriptor for all: a new one, or one that is not writable, makes V8 build a new shape for every snapshot. */
const hidden: PropertyDescriptor = { value: undefined, writable: true, configurable: true, enumerable: false }

const lazy: PropertyDescriptor = {
  enumerable: true,
  configurable: true,
  get(this: { [CAPTURE]: LazyValue }) {
    return this[CAPTURE].value
  },
}
