import { createRequire } from 'node:module'
import type { Plugin } from 'esbuild'

/**
 * Keeps a package in a separate file that is loaded when one of its functions, classes or objects is first used,
 * although it is imported at the top. Loading it takes longer than the rest of a short run. `file` is relative to the
 * bundle.
 */
export function lazyPackage(name: string, file: string): Plugin {
  const entries = Object.entries(createRequire(import.meta.url)(name) as Record<string, unknown>)
  const names = entries.flatMap(([key, value]) => (Object(value) === value ? [key] : []))
  return {
    name: `lazy-${name}`,
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${name}$`) }, () => ({
        path: name,
        namespace: 'lazy',
        sideEffects: false,
      }))
      build.onLoad({ filter: /.*/, namespace: 'lazy' }, () => ({
        contents: `${writeStandIns(file)}\n${names.map(key => `export const ${key} = /* @__PURE__ */ standIn('${key}')`).join('\n')}`,
        resolveDir: '.',
      }))
    },
  }
}

/** A stand-in can be called, constructed and inspected like the original, even with `instanceof`. */
function writeStandIns(file: string): string {
  return `
import { createRequire } from 'node:module'
let loaded
const load = () => (loaded ??= createRequire(import.meta.url)('${file}'))
const standIn = name =>
  new Proxy(function () {}, {
    apply: (_, self, args) => Reflect.apply(load()[name], self, args),
    construct: (_, args) => Reflect.construct(load()[name], args),
    get: (_, key) => Reflect.get(load()[name], key),
  })`
}
