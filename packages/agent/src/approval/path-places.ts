import { isAbsolute, relative, resolve, sep } from 'node:path'
import { isInside, listCandidates, type PathResolution, resolveLinks } from '../files/local-file.ts'

/** The places that a call's path may mean, in the form that rules are compared with: names separated by `/`. */
export interface PathPlaces {
  /** Where it leads for certain, with links resolved: relative to the first root that contains it, else absolute. */
  certain: readonly string[]
  /** The same as real paths. */
  real: readonly string[]
  /** Every name it may have: with links and without, relative to every root, and absolute. */
  possible: readonly string[]
  /** The real paths of what exists there. */
  existing: readonly string[]
}

/**
 * Finds the places of a path that a model wrote. `..`, absolute paths and symbolic links don't change where it leads.
 * Undefined if no system accepts the text as a path. Roots are real paths.
 */
export async function findPlaces(path: string, roots: readonly string[]): Promise<PathPlaces | undefined> {
  try {
    const places = listCandidates(path, roots)
    const resolutions: PathResolution[] = []
    for (const place of places) resolutions.push(await resolveLinks(place, path))
    const inside = ({ real }: PathResolution): boolean => roots.some(root => isInside(root, real))
    const existing = resolutions.find(one => one.missing.length === 0 && inside(one))
    // An existing file is read in any root that has it. A new one is created in the first.
    const realPaths = [...new Set([resolutions[0]?.real, existing?.real])].filter(real => real !== undefined)
    const names = [...new Set([...resolutions.map(({ real }) => real), ...places])]
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
      existing: [...new Set(resolutions.filter(({ missing }) => missing.length === 0).map(({ real }) => real))],
    }
  } catch {
    return undefined
  }
}

/** The path below a root, `''` for the root itself. Absolute without a root. */
function toName(path: string, root: string | undefined): string {
  const name = root === undefined ? resolve(path) : relative(root, path)
  return sep === '/' || (root === undefined && !isAbsolute(path)) ? name : name.replaceAll(sep, '/')
}
