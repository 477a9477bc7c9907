/** Parts of a longer secret are matched only up to here; the whole secret is matched too. */
const LONGEST_ATOM = 16 * 1024
/** From this length on, a piece of a text with several words or lines is matched by itself. */
const SHORTEST_PIECE = 16

/** How a program may print a secret: literally, inside JSON, as base64 at any offset, and URL-encoded. */
export function exactForms(secret: string): Set<string> {
  const forms = new Set([secret, JSON.stringify(secret).slice(1, -1)])
  const encoded = encodeURIComponent(secret.toWellFormed())
  for (const form of [encoded, encoded.replaceAll('%20', '+')]) forms.add(form)
  for (const form of base64Forms(Buffer.from(secret))) {
    forms.add(form)
    forms.add(form.replaceAll('+', '-').replaceAll('/', '_'))
  }
  return forms
}

/**
 * Forms of a secret that are recognized by a part of their letters and digits, whatever stands between them: literal, hex
 * and base64. Of a URL, JSON or several lines, only the pieces that can't be ordinary words.
 */
export function looseForms(secret: string): string[] {
  return splitAtoms(secret).flatMap(atom => {
    const bytes = Buffer.from(atom)
    return [atom, bytes.toString('hex'), ...base64Forms(bytes)]
  })
}

function splitAtoms(secret: string): string[] {
  const isSingle = !/[\n\r{}]|":|:\/\//.test(secret)
  if (isSingle) return [secret.slice(0, LONGEST_ATOM)]
  return secret
    .split(/[^\w+/=-]+/)
    .filter(piece => piece.length >= SHORTEST_PIECE && isRandom(piece))
    .map(piece => piece.slice(0, LONGEST_ATOM))
}

/** Whether a piece is unlikely to be a word, a path or a number. */
function isRandom(piece: string): boolean {
  return /^[0-9a-f]{24,}$/i.test(piece) || (/\d/.test(piece) && /[a-z]/.test(piece) && /[A-Z]/.test(piece))
}

/** The whole, and the parts of it that stay the same after zero, one or two other bytes and before any others. */
function base64Forms(bytes: Buffer): string[] {
  const whole = bytes.toString('base64')
  const forms = [whole, whole.replace(/=+$/, '')]
  for (const before of [0, 1, 2]) {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    const start = Math.ceil((before * 8) / 6)
    const end = Math.floor(((before + bytes.length) * 8) / 6)
    forms.push(text.slice(start, end))
  }
  return forms
}
