/** 1 for the characters of `[A-Za-z0-9_.-]`, by code. */
const nameCodes = new Uint8Array(128)
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-') {
  nameCodes[character.charCodeAt(0)] = 1
}

/** True for a character of a tool's or parameter's name. */
export function isNameCode(code: number): boolean {
  return code < 128 && nameCodes[code] === 1
}

/** True for a valid tool or parameter name: `[A-Za-z0-9_.-]+`. */
export function isName(text: string): boolean {
  return /^[A-Za-z0-9_.-]+$/.test(text)
}

/** True for a name with a letter or a digit, so that `...` is prose. Other characters aren't checked. */
export function isToolName(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text)
}

/** Like `isNameCode`, with the additional characters that dialects allow: `server/tool`, `größe`. */
export function isWideNameCode(code: number): boolean {
  return isNameCode(code) || code === 47 || (code > 127 && /[\p{L}\p{N}\p{M}]/u.test(String.fromCharCode(code)))
}

/** Removes differences that are easily mistaken: `filePath` equals `file_path`. */
export function plainName(name: string): string {
  return name.replaceAll(/[_.-]/g, '').toLowerCase()
}
