import { absolutePath } from '../absolute-path.ts'

/** What a program may know about this machine. Everything else, above all keys, is withheld. */
const ALLOWED: ReadonlySet<string> = new Set(
  (
    'PATH HOME USER LOGNAME SHELL LANG LANGUAGE TERM COLORTERM NO_COLOR TZ TMPDIR TMP TEMP ' +
    'LC_ALL LC_ADDRESS LC_COLLATE LC_CTYPE LC_IDENTIFICATION LC_MEASUREMENT LC_MESSAGES LC_MONETARY LC_NAME ' +
    'LC_NUMERIC LC_PAPER LC_TELEPHONE LC_TIME ' +
    'SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT USERNAME USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA ' +
    'PROGRAMDATA PROGRAMFILES PROCESSOR_ARCHITECTURE NUMBER_OF_PROCESSORS'
  ).split(' '),
)

/** Only harmless names, never keys, and only the absolute entries of `PATH`. */
export function reduceEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const variables: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    // Windows has `Path` and `SystemRoot`.
    const upper = name.toUpperCase()
    if (value !== undefined && ALLOWED.has(upper)) variables[name] = upper === 'PATH' ? absolutePath(value) : value
  }
  return variables
}
