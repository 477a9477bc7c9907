import type { ESTree } from 'vite'
import { parseSource } from './parse-source.ts'

/** `value`: there at run time; `type`: seen by the compiler only. A name that is both is a value. */
export type ExportKind = 'value' | 'type'

/** How the search finds other files: the text of one, and the file that an import of one leads to. */
export interface SourceFiles {
  read(file: string): string
  /** Undefined where it leads out of the workspace. */
  resolve(file: string, specifier: string): string | undefined
}

/** Every name that a file exports, with re-exports followed to the place of the declaration. */
export function findExports(file: string, files: SourceFiles): Map<string, ExportKind> {
  return new Search(files).names(file)
}

class Search {
  readonly #files: SourceFiles
  /** By file; set before a file is read to its end, so that a circle of re-exports stops. */
  readonly #found = new Map<string, Map<string, ExportKind>>()

  constructor(files: SourceFiles) {
    this.#files = files
  }

  names(file: string): Map<string, ExportKind> {
    const known = this.#found.get(file)
    if (known !== undefined) return known
    const names = new Map<string, ExportKind>()
    this.#found.set(file, names)
    const { program } = parseSource(file, this.#files.read(file))
    const local = this.#locals(file, program)
    const stars: [string, ExportKind][] = []

    for (const statement of program.body) {
      switch (statement.type) {
        case 'ExportDefaultDeclaration':
          add(names, 'default', statement.declaration.type === 'TSInterfaceDeclaration' ? 'type' : 'value')
          break
        case 'ExportAllDeclaration': {
          if (statement.exported !== null) add(names, nameOf(statement.exported), statement.exportKind ?? 'value')
          else for (const name of this.#star(file, statement)) stars.push(name)
          break
        }
        case 'ExportNamedDeclaration':
          if (statement.declaration !== null) {
            for (const [name, kind] of declared(statement.declaration)) add(names, name, kind)
          }
          for (const specifier of statement.specifiers) {
            const original = nameOf(specifier.local)
            const source = statement.source?.value
            const kind = source === undefined ? local.get(original) : this.#kindIn(file, source, original)
            const typeOnly = statement.exportKind === 'type' || specifier.exportKind === 'type'
            add(names, nameOf(specifier.exported), typeOnly ? 'type' : (kind ?? 'value'))
          }
          break
        default:
      }
    }
    // A name of the file itself hides the same name behind `export *`.
    for (const [name, kind] of stars) if (!names.has(name)) names.set(name, kind)
    return names
  }

  /** What the top level of a file declares or imports, by local name. */
  #locals(file: string, program: ESTree.Program): Map<string, ExportKind> {
    const local = new Map<string, ExportKind>()
    for (const statement of program.body) {
      if (statement.type === 'ImportDeclaration') {
        for (const specifier of statement.specifiers) {
          const typeOnly =
            statement.importKind === 'type' || ('importKind' in specifier && specifier.importKind === 'type')
          const original = specifier.type === 'ImportSpecifier' ? nameOf(specifier.imported) : undefined
          const kind = original === undefined ? 'value' : this.#kindIn(file, statement.source.value, original)
          add(local, specifier.local.name, typeOnly ? 'type' : kind)
        }
      } else {
        const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
        if (declaration !== null) for (const [name, kind] of declared(declaration)) add(local, name, kind)
      }
    }
    return local
  }

  #kindIn(file: string, specifier: string, name: string): ExportKind {
    const target = this.#files.resolve(file, specifier)
    return (target === undefined ? undefined : this.names(target).get(name)) ?? 'value'
  }

  #star(file: string, statement: ESTree.ExportAllDeclaration): [string, ExportKind][] {
    const target = this.#files.resolve(file, statement.source.value)
    if (target === undefined) {
      throw new Error(`${file} exports everything of '${statement.source.value}'; name what it exports one by one.`)
    }
    return [...this.names(target)]
      .filter(([name]) => name !== 'default')
      .map(([name, kind]) => [name, statement.exportKind === 'type' ? 'type' : kind])
  }
}

/** The names that a declaration brings, empty for other statements. */
function declared(node: ESTree.Node): [string, ExportKind][] {
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
    case 'ClassDeclaration':
      return node.id === null ? [] : [[node.id.name, 'value']]
    case 'TSEnumDeclaration':
      return [[node.id.name, 'value']]
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
      return [[node.id.name, 'type']]
    case 'VariableDeclaration':
      return node.declarations.flatMap(({ id }) => bound(id)).map(name => [name, 'value'])
    default:
      return []
  }
}

/** The names that a pattern binds. */
function bound(node: ESTree.Node | null): string[] {
  switch (node?.type) {
    case 'Identifier':
      return [node.name]
    case 'ObjectPattern':
      return node.properties.flatMap(property => bound(property.type === 'Property' ? property.value : property))
    case 'ArrayPattern':
      return node.elements.flatMap(bound)
    case 'AssignmentPattern':
      return bound(node.left)
    case 'RestElement':
      return bound(node.argument)
    default:
      return []
  }
}

function add(names: Map<string, ExportKind>, name: string, kind: ExportKind): void {
  if (names.get(name) !== 'value') names.set(name, kind)
}

function nameOf(node: ESTree.ModuleExportName): string {
  return node.type === 'Literal' ? node.value : node.name
}
