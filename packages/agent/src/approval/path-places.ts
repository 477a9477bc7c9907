import { isAbsolute, relative, resolve, sep } from 'node:path'
import { follow, isInside, listPlaces, type PathResolution } from '../files/local-file.ts'

/** The places that a path of a call may mean, as rules are compared with them: with `/` between names. */
export interface PathPlaces {
  /** Where it leads for certain: relative to the first root that holds it, links resolved, else absolute. */
  certain: readonly string[]
  /** The same as real paths. */
  real: readonly string[]
  /** All that it may be called: with links and without, relative to every root, and absolute. */
  possible: readonly string[]
  /** The real paths of what exists there. */
  existing: readonly string[]
}

/**
 * Finds the places of a path that a model wrote. `..`, absolute paths and symbolic links make no difference to where it
 * leads. Undefined for what no system takes for a path. Roots are real paths.
 */
export async function findPlaces(path: string, roots: readonly string[]): Promise<PathPlaces | undefined> {
  try {
    const places = listPlaces(path, roots)
    const followed: PathResolution[] = []
    for (const place of places) followed.push(await follow(place, path))
    const inside = ({ real }: PathResolution): boolean => roots.some(root => isInside(root, real))
    const existing = followed.find(one => one.missing.length === 0 && inside(one))
    // What exists in any root is read there; what is new is created in the first.
    const realPaths = [...new Set([followed[0]?.real, existing?.real])].filter(real => real !== undefined)
    const names = [...new Set([...followed.map(({ real }) => real), ...places])]
    return {
      real: realPaths,
      certain: realPaths.map(real =>
        toName(
          real,
          roots.find(root => isInside(root, real)),
        ),
      ),
      possible: names.flatMap(name => [
        toName(name, undefined),
        ...roots.filter(root => isInside(root, name)).map(root => toName(name, root)),
      ]),
      existing: [...new Set(followed.filter(({ missing }) => missing.length === 0).map(({ real }) => real))],
    }
  } catch {
    return undefined
  }
}

/** The path below a root, `''` for the root itself; absolute where there is no root. */
function toName(path: string, root: string | undefined): string {
  const name = root === undefined ? resolve(path) : relative(root, path)
  return sep === '/' || (root === undefined && !isAbsolute(path)) ? name : name.replaceAll(sep, '/')
}
