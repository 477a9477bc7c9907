import { dirname } from 'node:path'

/**
 * The folder that the user is in. A script of a package is started in the folder of that package, and npm says in
 * `INIT_CWD` where the user is; anywhere else, also in a script that changed its folder, it is the one of the process.
 */
export function startFolder(env: Readonly<Record<string, string | undefined>>, cwd: string): string {
  const { INIT_CWD, npm_command: command = '', npm_package_json: manifest } = env
  const isScript = command === 'run-script' || command === 'run' || command === 'start'
  if (!isScript || INIT_CWD === undefined || manifest === undefined || dirname(manifest) !== cwd) return cwd
  return INIT_CWD
}
