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

/** True for a name that a tool can have: one with a letter or a digit, so that `...` is prose. */
export function isToolName(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text)
}

/** True for the code of a character that dialects allow in names besides: `server/tool`, `größe`. */
export function isWideNameCode(code: number): boolean {
  return isNameCode(code) || code === 47 || (code > 127 && /[\p{L}\p{N}\p{M}]/u.test(String.fromCharCode(code)))
}

/** A name without what is easily mistaken in it: `filePath` is `file_path`. */
export function plainName(name: string): string {
  return name.replaceAll(/[_.-]/g, '').toLowerCase()
}
