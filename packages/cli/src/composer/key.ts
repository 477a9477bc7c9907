/** A key, or a paste, as a terminal reports it. */
export interface Key {
  /** A printable text, or the name of a key such as `enter`, `up`, `backspace`, `f1`. `paste` has all of its text. */
  name: string
  /** What the key types; only for printable keys and pastes. */
  text?: string
  ctrl: boolean
  alt: boolean
  shift: boolean
}

export function plainKey(name: string, modifiers: Partial<Omit<Key, 'name'>> = {}): Key {
  return { name, ctrl: false, alt: false, shift: false, ...modifiers }
}

/** `ctrl+c`, `alt+enter`, `a`: how a table of keys names it. */
export function keyName({ name, ctrl, alt, shift }: Key): string {
  return `${ctrl ? 'ctrl+' : ''}${alt ? 'alt+' : ''}${shift && name.length > 1 ? 'shift+' : ''}${name}`
}
