import { randomInt } from 'node:crypto'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Nine letters and digits: the only format that Mistral's templates accept. All other servers accept it, too. */
export function createCallId(): string {
  return Array.from({ length: 9 }, () => alphabet[randomInt(alphabet.length)]).join('')
}
