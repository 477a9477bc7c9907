import { homedir } from 'node:os'
import { posix, win32 } from 'node:path'

export interface ConfigFolderOptions {
  env?: Readonly<Record<string, string | undefined>> | undefined
  platform?: NodeJS.Platform
}

/**
 * The folder for the user's settings and trust: `$XDG_CONFIG_HOME/argot` or `~/.config/argot`, on Windows
 * `%APPDATA%\argot`. A variable without an absolute path is ignored.
 */
export function findConfigFolder({ env = process.env, platform = process.platform }: ConfigFolderOptions = {}): string {
  const { isAbsolute, join } = platform === 'win32' ? win32 : posix
  const absolute = (path: string | undefined) => (path !== undefined && isAbsolute(path) ? path : undefined)
  if (platform === 'win32') {
    const home = absolute(env.USERPROFILE) ?? homedir()
    return join(absolute(env.APPDATA) ?? join(home, 'AppData', 'Roaming'), 'argot')
  }
  const home = absolute(env.HOME) ?? homedir()
  return join(absolute(env.XDG_CONFIG_HOME) ?? join(home, '.config'), 'argot')
}
