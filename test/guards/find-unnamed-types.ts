import { type ESTree, Visitor } from 'vite'
import type { ExportKind, SourceFiles } from './find-exports.ts'
import { parseSource } from './parse-source.ts'

/** A type that a public function or method takes or gives, and that no door exports. */
export interface UnnamedType {
  name: string
  /** Where it is declared. */
  file: string
  /** The public name that mentions it, as it is declared. */
  of: string
}

export interface TypeSearch {
  /**
   * The types of the workspace that functions, methods and callbacks of what `doors` export take or give, and that neither a
   * door nor one of `others` exports: nobody can import them. `others` are the doors of packages that the package depends
   * on, whose own signatures are not looked at. The type of a field has a name already: `Owner['field']`.
   */
  findUnnamed(doors: readonly string[], others: readonly string[]): UnnamedType[]
}

/** `namesOf` gives what a door exports, as `findExports` does. Every file is read once, however many doors are asked about. */
export function createTypeSearch(
  files: SourceFiles,
  namesOf: (door: string) => ReadonlyMap<string, ExportKind>,
): TypeSearch {
  const search = new Search(files, namesOf)
  return {
    findUnnamed(doors, others) {
      const theirs = new Set(others.flatMap(door => search.exports(door)).map(keyOf))
      const own = doors.flatMap(door => search.exports(door)).filter(place => !theirs.has(keyOf(place)))
      const known = new Set([...theirs, ...own.map(keyOf)])
      const found = new Map<string, UnnamedType>()
      for (const place of own) {
        for (const { file, name } of search.signature(place)) {
          const key = keyOf({ file, name })
          if (!known.has(key) && !found.has(key)) found.set(key, { name, file, of: place.name })
        }
      }
      return [...found.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    },
  }
}

/** A declaration: its file and the name that it has there. */
interface Place {
  file: string
  name: string
}

interface Exported extends Place {
  /** Nobody can call it or make one. */
  isType: boolean
}

interface Module {
  /** The statements that declare a name; several for overloads and merged declarations. */
  declared: Map<string, ESTree.Node[]>
  /** By local name, what another file calls it. */
  imported: Map<string, { specifier: string; name: string }>
  /** By public name, the local one. */
  exported: Map<string, string>
  /** By public name, what another file calls it. */
  passed: Map<string, { specifier: string; name: string }>
  /** Everything of these files is exported. */
  stars: string[]
}

class Search {
  readonly #files: SourceFiles
  readonly #namesOf: (door: string) => ReadonlyMap<string, ExportKind>
  readonly #modules = new Map<string, Module>()

  constructor(files: SourceFiles, namesOf: (door: string) => ReadonlyMap<string, ExportKind>) {
    this.#files = files
    this.#namesOf = namesOf
  }

  /** What a door exports, by the place of its declaration; what leads out of the workspace is left out. */
  exports(file: string): Exported[] {
    return [...this.#namesOf(file)].flatMap(([name, kind]) => {
      const place = this.#find(file, name)
      return place === undefined ? [] : [{ ...place, isType: kind === 'type' }]
    })
  }

  /** The types of the workspace that a declaration mentions where its users see it. */
  signature({ file, name, isType }: Exported): Place[] {
    const nodes = this.#module(file).declared.get(name) ?? []
    const overloads = nodes.filter(node => node.type === 'TSDeclareFunction')
    const types = (overloads.length === 0 ? nodes : overloads).flatMap(node => typesIn(node, isType))
    return types.flatMap(type => {
      const place = this.#local(file, type)
      return place === undefined ? [] : [place]
    })
  }

  /** Where the declaration of a name is that a file exports. */
  #find(file: string, name: string): Place | undefined {
    const module = this.#module(file)
    const local = module.exported.get(name)
    if (local !== undefined) return this.#local(file, local)
    const passed = module.passed.get(name)
    if (passed !== undefined) return this.#follow(file, passed)
    for (const specifier of module.stars) {
      const place = this.#follow(file, { specifier, name })
      if (place !== undefined) return place
    }
    return undefined
  }

  /** Where the declaration of a name is that the top level of a file knows; undefined for globals and other packages. */
  #local(file: string, name: string): Place | undefined {
    const { declared, imported } = this.#module(file)
    if (declared.has(name)) return { file, name }
    const from = imported.get(name)
    return from && this.#follow(file, from)
  }

  #follow(file: string, { specifier, name }: { specifier: string; name: string }): Place | undefined {
    const target = this.#files.resolve(file, specifier)
    return target === undefined ? undefined : this.#find(target, name)
  }

  #module(file: string): Module {
    const known = this.#modules.get(file) ?? readModule(file, this.#files.read(file))
    this.#modules.set(file, known)
    return known
  }
}

function readModule(file: string, text: string): Module {
  const module: Module = {
    declared: new Map(),
    imported: new Map(),
    exported: new Map(),
    passed: new Map(),
    stars: [],
  }
  const declare = (name: string | undefined, node: ESTree.Node, isExported: boolean): void => {
    if (name === undefined) return
    module.declared.set(name, [...(module.declared.get(name) ?? []), node])
    if (isExported) module.exported.set(name, name)
  }
  for (const statement of parseSource(file, text).program.body) {
    if (statement.type === 'ImportDeclaration') {
      for (const specifier of statement.specifiers) {
        if (specifier.type !== 'ImportSpecifier') continue
        module.imported.set(specifier.local.name, from(statement.source.value, specifier.imported))
      }
    } else if (statement.type === 'ExportAllDeclaration') {
      if (statement.exported === null) module.stars.push(statement.source.value)
    } else {
      const isExported = statement.type === 'ExportNamedDeclaration'
      const node = isExported ? statement.declaration : statement
      if (node?.type === 'VariableDeclaration') {
        for (const one of node.declarations) if (one.id.type === 'Identifier') declare(one.id.name, one, isExported)
      } else if (node !== null && 'id' in node) {
        declare((node.id as { name?: string } | null)?.name, node, isExported)
      }
      if (!isExported) continue
      for (const { local, exported } of statement.specifiers) {
        if (statement.source === null) module.exported.set(nameOf(exported), nameOf(local))
        else module.passed.set(nameOf(exported), from(statement.source.value, local))
      }
    }
  }
  return module
}

/**
 * The names of types that the functions of a declaration take or give. Bodies, values, private members, type parameters and
 * the constructor of a class that is exported as a type do not count.
 */
function typesIn(declaration: ESTree.Node, isType: boolean): string[] {
  const hidden: [from: number, to: number][] = []
  const called: [from: number, to: number][] = []
  const parameters = new Set<string>()
  const named: [at: number, name: string][] = []
  const hide = (node: ESTree.Node | null | undefined): void => {
    if (node) hidden.push([node.start, node.end])
  }
  const call = (node: ESTree.Node): void => void called.push([node.start, node.end])
  const name = (node: ESTree.Node): void => {
    let first = node
    while (first.type === 'TSQualifiedName') first = first.left
    if (first.type === 'Identifier') named.push([first.start, first.name])
  }
  new Visitor({
    BlockStatement: hide,
    StaticBlock: hide,
    PropertyDefinition: node => (isPrivate(node) ? hide(node) : hide(node.value)),
    MethodDefinition: node => {
      if (isPrivate(node) || (isType && node.kind === 'constructor')) hide(node)
    },
    VariableDeclarator: node => hide(node.init),
    AssignmentPattern: node => hide(node.right),
    ArrowFunctionExpression: node => hide(node.body),
    TSTypeParameter: node => void parameters.add(node.name.name),
    TSInferType: node => void parameters.add(node.typeParameter.name.name),
    TSMappedType: node => void parameters.add(node.key.name),
    TSTypeReference: node => name(node.typeName),
    FunctionDeclaration: call,
    FunctionExpression: call,
    TSDeclareFunction: call,
    TSEmptyBodyFunctionExpression: call,
    TSFunctionType: call,
    TSMethodSignature: call,
    TSCallSignatureDeclaration: call,
    TSConstructSignatureDeclaration: call,
  }).visit({ type: 'Program', body: [declaration], sourceType: 'module', hashbang: null, start: 0, end: 0 } as never)
  const isIn = (places: typeof hidden, at: number): boolean => places.some(([start, end]) => start <= at && at < end)
  return named
    .filter(([at, one]) => isIn(called, at) && !isIn(hidden, at) && !parameters.has(one))
    .map(([, one]) => one)
}

function isPrivate(node: ESTree.PropertyDefinition | ESTree.MethodDefinition): boolean {
  return node.key.type === 'PrivateIdentifier' || node.accessibility === 'private'
}

function from(specifier: string, name: ESTree.ModuleExportName): { specifier: string; name: string } {
  return { specifier, name: nameOf(name) }
}

function nameOf(node: ESTree.ModuleExportName): string {
  return node.type === 'Literal' ? node.value : node.name
}

function keyOf({ file, name }: Place): string {
  return `${file} ${name}`
}
