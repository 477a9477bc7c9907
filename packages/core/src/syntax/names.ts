/** 1 for the characters of `[A-Za-z0-9_.-]`, by code. */
const nameCodes = new Uint8Array(128)
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-') {
  nameCodes[character.charCodeAt(0)] = 1
}

/** True for the code of a character that names of tools and parameters are made of. */
export function isNameCode(code: number): boolean {
  return code < 128 && nameCodes[code] === 1
}

/** True for a name of a tool or a parameter: `[A-Za-z0-9_.-]+`. */
export function isName(text: string): boolean {
  return /^[A-Za-z0-9_.-]+$/.test(text)
}
