import { createRequire } from 'node:module'
import type { Plugin } from 'esbuild'

/**
 * A package of the bundle that stays in a file of its own until one of its functions, classes or objects is first used, although
 * it is imported at the top: reading it takes longer than all the rest of a short run. `file` is seen from the bundle.
 */
export function lazyPackage(name: string, file: string): Plugin {
  const exported = Object.entries(createRequire(import.meta.url)(name) as Record<string, unknown>)
  const names = exported.flatMap(([key, value]) => (Object(value) === value ? [key] : []))
  return {
    name: `lazy-${name}`,
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${name}$`) }, () => ({
        path: name,
        namespace: 'lazy',
        sideEffects: false,
      }))
      build.onLoad({ filter: /.*/, namespace: 'lazy' }, () => ({
        contents: `${stand(file)}\n${names.map(key => `export const ${key} = /* @__PURE__ */ standIn('${key}')`).join('\n')}`,
        resolveDir: '.',
      }))
    },
  }
}

/** A stand-in is called, constructed and asked for its properties, `instanceof` included, as what it stands for. */
function stand(file: string): string {
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
