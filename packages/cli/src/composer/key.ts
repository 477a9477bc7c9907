export interface Key {
  /** Printable text, or a key name such as `enter`, `up`, `backspace`, `f1`. `paste` contains the whole text. */
  name: string
  text?: string
  ctrl: boolean
  alt: boolean
  shift: boolean
}

export function plainKey(name: string, modifiers: Partial<Omit<Key, 'name'>> = {}): Key {
  return { name, ctrl: false, alt: false, shift: false, ...modifiers }
}

/** The name in key tables: `ctrl+c`, `alt+enter`, `a`. */
export function keyName({ name, ctrl, alt, shift }: Key): string {
  return `${ctrl ? 'ctrl+' : ''}${alt ? 'alt+' : ''}${shift && name.length > 1 ? 'shift+' : ''}${name}`
}
