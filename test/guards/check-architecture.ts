import { builtinModules } from 'node:module'
import { cycles, type Edge, exportSource, importGraph, shortestPath, targetFile } from './import-graph.ts'
import { isSource, type WorkspacePackage } from './workspace.ts'

/** From each place to the places that an arrow of the diagram leads to. What a way of arrows leads to may be imported. */
export type Arrows = Readonly<Record<string, readonly string[]>>

export interface ArchitectureRules {
  /** Between packages and apps, by folder. */
  packages: Arrows
  /**
   * Inside each package, between the folders of its `src`; `.` is a file directly in `src`. A folder in a folder
   * (`tool/patch`) is a place of its own where it is drawn, else a part of the one it is in.
   */
  folders: Readonly<Record<string, Arrows>>
  /** Doors of types alone, by file, and the packages that may import them although no arrow leads there. */
  contracts?: Arrows
  /** Which folders may import the modules of Node. */
  node: readonly string[]
  /** npm packages that are for some folders only. */
  only: readonly { name: string; folders: readonly string[] }[]
  /** Packages that may import no npm package but these, each in one folder of their `src`. */
  bare: Readonly<Record<string, readonly { name: string; folder: string; typeOnly?: boolean }[]>>
  /** Packages that are published as a bundle: what is needed to make it is enough. */
  bundled: readonly string[]
  /** Files that load what a user names. */
  computed?: readonly string[]
  /** Files that must not load others, by whatever way. */
  never: readonly { from: string; to: readonly string[] }[]
}

/** What is against the rules, one sentence each: the file, the import, and the rule that it breaks. Empty is good. */
export function checkArchitecture(packages: readonly WorkspacePackage[], rules: ArchitectureRules): string[] {
  const edges = importGraph(packages, builtinModules)
  return [
    ...brokenDiagram('the packages', rules.packages),
    ...Object.entries(rules.folders).flatMap(([folder, arrows]) => brokenDiagram(folder, arrows)),
    ...packages.flatMap(one => undrawn(one, rules)),
    ...edges.flatMap(edge => {
      const rule = brokenRule(edge, rules)
      return rule === undefined ? [] : [`${edge.file}:${edge.import.line} imports ${quote(edge)}: ${rule}.`]
    }),
    ...brokenReach(edges, rules),
    ...cycles(fileGraph(edges)).map(way => `${way.join(' → ')}: files must not import each other in a circle.`),
  ]
}

/** The files with more lines than `limit`. */
export function longFiles(packages: readonly WorkspacePackage[], limit: number): string[] {
  return packages.flatMap(({ files }) =>
    [...files]
      .filter(([file, text]) => isSource(file) && text.trimEnd().split('\n').length > limit)
      .map(([file]) => file),
  )
}

/**
 * The files under `limit` lines that one file alone imports, and that could as well be in it. A door is not one of them, nor
 * what only a door exports, because its readers are outside; nor what is loaded when it is used, because that is its seam.
 */
export function splinters(packages: readonly WorkspacePackage[], limit: number): string[] {
  const doors = new Set(
    packages.flatMap(({ folder, manifest }) =>
      Object.keys(manifest.exports ?? {}).map(key => `${folder}/${exportSource(manifest, key)?.replace(/^\.\//, '')}`),
    ),
  )
  const importers = new Map<string, Set<string>>()
  const pieces = new Set<string>()
  for (const edge of importGraph(packages, builtinModules)) {
    const to = targetFile(edge)
    if (to === undefined) continue
    importers.set(to, (importers.get(to) ?? new Set()).add(edge.file))
    if (edge.import.later) pieces.add(to)
  }
  return packages.flatMap(({ files }) =>
    [...files]
      .filter(([file, text]) => isSource(file) && text.trimEnd().split('\n').length < limit)
      .map(([file]) => file)
      .filter(file => {
        const [only, ...others] = importers.get(file) ?? []
        return (
          only !== undefined && others.length === 0 && ![file, only].some(one => doors.has(one)) && !pieces.has(file)
        )
      }),
  )
}

/** A diagram that leads in a circle would allow what it is there to forbid. */
function brokenDiagram(name: string, arrows: Arrows): string[] {
  const ends = Object.entries(arrows).flatMap(([from, to]) => to.map(end => ({ from, end })))
  return [
    ...ends
      .filter(({ end }) => !Object.hasOwn(arrows, end))
      .map(({ from, end }) => `${from} → ${end}: ${end} is not drawn in the diagram of ${name}.`),
    ...cycles(new Map(Object.entries(arrows).map(([from, to]) => [from, new Set(to)]))).map(
      way => `${way.join(' → ')}: arrows must not lead in a circle in the diagram of ${name}.`,
    ),
  ]
}

/** Places that exist and that no rule knows. */
function undrawn({ folder, files }: WorkspacePackage, rules: ArchitectureRules): string[] {
  if (!Object.hasOwn(rules.packages, folder)) return [`${folder} is not drawn in the diagram of the packages.`]
  const arrows = rules.folders[folder]
  if (arrows === undefined) return [`${folder} has no diagram of its own.`]
  const places = new Set([...files.keys()].map(file => place(folder, file, rules)))
  return [...places]
    .filter(name => !Object.hasOwn(arrows, name))
    .map(name => `${folder}/src/${name} is not drawn in the diagram of ${folder}.`)
}

function brokenRule(edge: Edge, rules: ArchitectureRules): string | undefined {
  const { target } = edge
  switch (target.kind) {
    case 'unknown':
      if (edge.import.specifier === undefined && rules.computed?.includes(edge.file)) return undefined
      return edge.import.specifier === undefined
        ? 'an import must name its module, so that the graph is known'
        : 'no such file; write the path with its extension'
    case 'file':
      return brokenFileRule(edge, target.file, rules)
    case 'workspace':
      return brokenPackageRule(edge, target.folder, target.file, rules)
    case 'external':
      return brokenExternalRule(edge, target.name, rules)
  }
}

function brokenFileRule(edge: Edge, file: string, rules: ArchitectureRules): string | undefined {
  const { folder } = edge.package
  if (!file.startsWith(`${folder}/src/`)) return `a relative path must stay in ${folder}/src; other packages go by name`
  const arrows = rules.folders[folder]
  if (arrows === undefined) return undefined
  const [from, to] = [place(folder, edge.file, rules), place(folder, file, rules)]
  if (from === to || leadsTo(arrows, from, to)) return undefined
  return `no arrow leads from ${from} to ${to} in the diagram of ${folder}`
}

function brokenPackageRule(
  edge: Edge,
  to: string,
  file: string | undefined,
  rules: ArchitectureRules,
): string | undefined {
  const from = edge.package.folder
  if (from === to) return 'inside a package files go by relative path'
  if (!leadsTo(rules.packages, from, to)) {
    const isContract = file !== undefined && rules.contracts?.[file]?.includes(from) === true
    if (isContract) return edge.import.typeOnly ? undefined : `only types may be imported from ${file}`
    return `no arrow leads from ${from} to ${to} in the diagram of the packages`
  }
  return file === undefined ? `the \`exports\` of ${to} do not have it` : undefined
}

function brokenExternalRule(edge: Edge, name: string, rules: ArchitectureRules): string | undefined {
  const { folder, manifest } = edge.package
  if (name === 'node:') {
    return rules.node.includes(folder) ? undefined : `${folder} runs without Node, so it imports no module of Node`
  }
  const only = rules.only.find(one => one.name === name)
  if (only !== undefined && !only.folders.some(one => edge.file.startsWith(`${one}/`))) {
    return `only ${only.folders.join(', ')} may import ${name}`
  }
  const bare = rules.bare[folder]
  const from = place(folder, edge.file, rules)
  const allowed = bare?.find(one => one.name === name && one.folder === from)
  if (bare !== undefined && allowed === undefined) return `${from} in ${folder} imports no such npm package`
  if (allowed?.typeOnly && !edge.import.typeOnly) return `only types may be imported from ${name}`
  const inside = rules.bundled.includes(folder) ? manifest.devDependencies : {}
  const declared = {
    ...inside,
    ...manifest.dependencies,
    ...manifest.peerDependencies,
    ...manifest.optionalDependencies,
  }
  return Object.hasOwn(declared, name) ? undefined : `${folder}/package.json does not declare ${name}`
}

/** Ways, however long, from a file to what it must not load. Types count: an edge of types becomes one of values easily. */
function brokenReach(edges: readonly Edge[], rules: ArchitectureRules): string[] {
  const next = new Map<string, Set<string>>()
  for (const edge of edges) {
    const to = edge.target.kind === 'external' ? edge.target.name : targetFile(edge)
    if (to !== undefined) next.set(edge.file, (next.get(edge.file) ?? new Set()).add(to))
  }
  return rules.never.flatMap(({ from, to }) =>
    to.flatMap(forbidden => {
      const way = shortestPath(
        from,
        at => next.get(at) ?? [],
        at => at === forbidden || at.startsWith(`${forbidden}/`),
      )
      return way === undefined ? [] : [`${way.join(' → ')}: ${from} must not reach ${forbidden}.`]
    }),
  )
}

function fileGraph(edges: readonly Edge[]): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>()
  for (const edge of edges) {
    const to = targetFile(edge)
    if (to !== undefined) graph.set(edge.file, (graph.get(edge.file) ?? new Set()).add(to))
  }
  return graph
}

function leadsTo(arrows: Arrows, from: string, to: string): boolean {
  return (
    shortestPath(
      from,
      at => arrows[at] ?? [],
      at => at === to,
    ) !== undefined
  )
}

/** The drawn folder of `src` that a file is in, the innermost one; `.` for a file directly in `src`. */
function place(folder: string, file: string, rules: ArchitectureRules): string {
  const above = file.slice(`${folder}/src/`.length).split('/').slice(0, -1)
  const arrows = rules.folders[folder] ?? {}
  for (let depth = above.length; depth > 1; depth--) {
    const name = above.slice(0, depth).join('/')
    if (Object.hasOwn(arrows, name)) return name
  }
  return above[0] ?? '.'
}

function quote({ import: { specifier } }: Edge): string {
  return specifier === undefined ? 'a computed path' : `'${specifier}'`
}
