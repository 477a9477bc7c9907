import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ESTree, Visitor } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeBlocks } from '../../../test/guards/code-blocks.ts'
import { parseSource } from '../../../test/guards/parse-source.ts'
import { isSource, readWorkspace, root } from '../../../test/guards/workspace.ts'
import { allRoutes } from '../src/routes/all-routes.ts'

/**
 * The law: a type of the contract and the JSON Schema of a route have the same fields, of the same types, and the same of
 * them are required. If one has more than the other, the server does not compile. Every field of every type and of every
 * schema is changed here in every way, and the compiler must report each of these changes.
 */

const source = join(root, 'packages/server/src')
const contract = 'api/index.ts'
const schemaFiles = readdirSync(join(source, 'routes'))
  .filter(name => name !== 'schema.ts')
  .map(name => `routes/${name}`)

/** What the changes use, on the first line of a file. */
const prefix =
  "import * as plant from './schema.ts'; function needed<V>(schema: plant.Schema<V>): plant.Schema<V> { return schema };"

/** Text that goes into a file instead of what is between two offsets. */
interface Edit {
  start: number
  end: number
  text: string
  /** The word of an error message, or the offset in the source at which the compiler must report an error. */
  expected: string | number
}

/** Edits of each file, by its path. */
type Variant = Map<string, Edit[]>

function read(file: string): string {
  return readFileSync(join(source, file), 'utf8')
}

interface Field {
  key: number
  value: ESTree.Node
  isShorthand: boolean
}

function isAnswer(node: ESTree.Node): boolean {
  return node.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === 'answerProperties'
}

/** The objects from which schemas are made. */
function schemaObjects(file: string): { start: number; fields: Field[] }[] {
  const objects: { start: number; fields: Field[] }[] = []
  new Visitor({
    CallExpression: ({ callee, arguments: [first] }) => {
      if (callee.type !== 'Identifier' || !['object', 'openObject', 'either'].includes(callee.name)) return
      if (first?.type !== 'ObjectExpression') throw new Error(`${file}: a schema is made of something else.`)
      const isEither = callee.name === 'either'
      const fields = first.properties.flatMap((property): Field[] => {
        // The fields of an answer are a table of core, which has its own planted field.
        if (property.type === 'SpreadElement' && isAnswer(property.argument)) return []
        if (property.type !== 'Property') throw new Error(`${file}: a schema spreads its fields.`)
        // No field of `either` is optional.
        return [{ key: property.start, value: property.value, isShorthand: property.shorthand || isEither }]
      })
      objects.push({ start: first.start, fields })
    },
  }).visit(parseSource(file, read(file)).program)
  return objects
}

/** The types of objects in the contract. `Api` lists them, and events have no schema. */
function contractTypes(): { start: number; end: number }[] {
  const text = read(contract)
  const types: { start: number; end: number }[] = []
  let events: { start: number; end: number } | undefined
  new Visitor({
    TSInterfaceDeclaration: ({ id, body }) => {
      if (id.name === 'ServerEvents') events = body
      else if (id.name !== 'Api') types.push(body)
    },
    TSTypeLiteral: node => {
      const isOperation = /^\{ (?:body|answer): /.test(text.slice(node.start))
      if (!isOperation) types.push(node)
    },
  }).visit(parseSource(contract, text).program)
  return types.filter(({ start }) => events === undefined || start < events.start || start > events.end)
}

function plantInTypes(mark: '' | '?'): Variant {
  const edits = contractTypes().map(({ start }, index) => {
    const name = `planted${index}${mark === '' ? 'needed' : 'optional'}`
    return { start: start + 1, end: start + 1, text: ` ${name}${mark}: string;`, expected: name }
  })
  return new Map([[contract, edits]])
}

function inSchemas(edits: (file: string, object: ReturnType<typeof schemaObjects>[number]) => Edit[]): Variant {
  return new Map(schemaFiles.map(file => [file, schemaObjects(file).flatMap(object => edits(file, object))]))
}

let planted = 0

const variants: Record<string, Variant> = {
  'nothing is changed': new Map(),
  'a type has one more field': plantInTypes(''),
  'a type has one more optional field': plantInTypes('?'),
  'a schema has one more field': inSchemas((_, { start }) => {
    const name = `planted${planted++}field`
    return [{ start: start + 1, end: start + 1, text: ` ${name}: plant.outline<string>({}),`, expected: name }]
  }),
  'a schema has a field of another type': inSchemas((file, { fields }) =>
    fields.map(({ key, value, isShorthand }) => {
      const isOptional = read(file).startsWith('optional(', value.start)
      const text = isOptional ? 'optional(plant.outline<Date>({}))' : 'plant.outline<Date>({})'
      const name = isShorthand && key === value.start ? `${read(file).slice(value.start, value.end)}: ` : ''
      return { start: value.start, end: value.end, text: name + text, expected: key }
    }),
  ),
  'a schema requires a field that is optional, or does not require one that is not': inSchemas((file, { fields }) =>
    fields.flatMap(({ key, value, isShorthand }): Edit[] => {
      const text = read(file)
      if (isShorthand) return []
      if (text.startsWith('optional(', value.start)) {
        return [{ start: value.start, end: value.start + 'optional'.length, text: 'needed', expected: key }]
      }
      return [{ start: value.start, end: value.start, text: '{ optional: ', expected: key }, after(value.end, ' }')]
    }),
  ),
  'a choice has one more name': inSchemas((file, { fields }) => choices(file, fields, "choice('planted', ")),
  'a choice lacks a name': inSchemas((file, { fields }) => choices(file, fields, undefined)),
}

function after(end: number, text: string): Edit {
  return { start: end, end, text, expected: '' }
}

function choices(file: string, fields: readonly Field[], added: string | undefined): Edit[] {
  return fields.flatMap(({ key, value }): Edit[] => {
    const text = read(file).slice(value.start, value.end)
    const [whole, first] = /^(?:optional\()?choice\(((?:'\w+'|\d+), )?/.exec(text) ?? []
    if (whole === undefined) return []
    const end = value.start + whole.length
    const start = end - (first ?? '').length - 'choice('.length
    // The names of states are a list of their own.
    if (first === undefined && added === undefined) {
      return [{ start: end, end: value.end - 1, text: "'queued'", expected: key }]
    }
    return [{ start, end, text: added === undefined ? 'choice(' : added + (first ?? ''), expected: key }]
  })
}

interface Outcome {
  /** What was changed and the compiler did not report. */
  missed: string[]
  changes: number
  output: string
}

let copy: string
let page: { blocks: number; output: string[] }
const outcomes = new Map<string, Outcome>()

/** Every variant is a copy of the server, and all copies are compiled together. */
beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), 'argot-contract-'))
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'dir')
  writeFileSync(join(copy, 'package.json'), '{ "type": "module" }')
  const compilerOptions = { noEmit: true, declaration: false, isolatedDeclarations: false, types: ['node'] }
  const config = { extends: join(root, 'tsconfig.base.json'), compilerOptions, include: ['*/api', '*/routes'] }
  writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify(config))
  const blocks = codeBlocks(readFileSync(join(root, 'docs/server-api.md'), 'utf8')).filter(one => one.language === 'ts')
  mkdirSync(join(copy, 'page/api'), { recursive: true })
  for (const [index, { code }] of blocks.entries()) writeFileSync(join(copy, `page/api/block${index}.ts`), code)
  const expected = Object.values(variants).map((variant, index) => write(`v${index}`, variant))
  const args = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json', '--pretty', 'false', '--singleThreaded']
  const output = await promisify(execFile)(process.execPath, args, { cwd: copy, maxBuffer: 64 << 20 }).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  )
  page = { blocks: blocks.length, output: output.split('\n').filter(line => line.startsWith('page/')) }
  for (const [index, name] of Object.keys(variants).entries()) {
    const own = output.split(/\n(?=\S)/).filter(error => error.startsWith(`v${index}/${index === 0 ? '' : 'routes/'}`))
    const text = own.join('\n')
    const missed = expected[index]!.filter(one => !text.includes(one))
    outcomes.set(name, { missed, changes: expected[index]!.length, output: text })
  }
}, 300_000)

afterAll(() => rmSync(copy, { recursive: true, force: true }))

/** Writes the copy, and gives what the compiler must say of it. */
function write(folder: string, variant: Variant): string[] {
  cpSync(source, join(copy, folder), { recursive: true })
  return [...variant].flatMap(([file, all]) => {
    const edits = innermost(all).sort((a, b) => a.start - b.start)
    if (edits.length === 0) return []
    const text = read(file)
    let changed = file === contract ? '' : prefix
    const added = changed.length
    let from = 0
    for (const { start, end, text: instead } of edits) {
      changed += text.slice(from, start) + instead
      from = end
    }
    changed += text.slice(from)
    writeFileSync(join(copy, folder, file), changed)
    return edits.flatMap(({ expected }) => {
      if (typeof expected === 'string') return expected === '' ? [] : [expected]
      const before = edits.filter(({ end }) => end <= expected)
      const at = before.reduce((sum, { start, end, text }) => sum + text.length - (end - start), expected + added)
      return [`${folder}/${file}(${position(changed, at)})`]
    })
  })
}

/** Without edits that replace others. */
function innermost(edits: readonly Edit[]): Edit[] {
  return edits.filter(one => !edits.some(({ start, end }) => one.start < start && end < one.end))
}

function position(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n')
  return `${before.length},${before.at(-1)!.length + 1}`
}

describe('the compiler reports it if', () => {
  test.each(Object.keys(variants).slice(1))('%s', name => {
    const { missed, changes, output } = outcomes.get(name)!
    expect(missed, output).toEqual([])
    expect(changes).toBeGreaterThan(4)
  })

  test('and nothing else', () => {
    expect(outcomes.get('nothing is changed')?.output).toBe('')
  })
})

test('the client on the page of the API compiles', () => {
  expect(page).toEqual({ blocks: 1, output: [] })
})

test('each type of the contract is declared once in all packages and apps', () => {
  const names = [...read(contract).matchAll(/^export (?:interface|type) (\w+)/gm)].map(match => match[1]!)
  expect(names).toContain('RunResource')
  const declared = readWorkspace().flatMap(({ files }) =>
    [...files]
      .filter(([file]) => isSource(file))
      .flatMap(([, text]) =>
        [...text.matchAll(/^(?:export )?(?:interface|type|class) (\w+)/gm)].map(match => match[1]!),
      ),
  )
  expect(names.filter(name => declared.filter(one => one === name).length !== 1)).toEqual([])
})

test('every operation of the contract has one route, and every answer that is JSON has a schema', () => {
  const { program } = parseSource(contract, read(contract))
  const operations: string[] = []
  new Visitor({
    TSInterfaceDeclaration: ({ id, body }) => {
      if (id.name !== 'Api') return
      for (const member of body.body) {
        if (member.type === 'TSPropertySignature' && member.key.type === 'Identifier') operations.push(member.key.name)
      }
    },
  }).visit(program)
  expect(allRoutes.map(({ id }) => id).sort()).toEqual(operations.sort())
  const bare = allRoutes.flatMap(({ id, method, answers }) =>
    Object.entries(answers)
      .filter(([status, { schema, type }]) => /^20[^46]$/.test(status) && schema === undefined && type === undefined)
      .map(([status]) => `${method} ${id} ${status}`),
  )
  expect(bare).toEqual(['HEAD describeLog 200'])
})

test('the door has no code', async () => {
  expect(Object.keys(await import('@argot/server/api'))).toEqual([])
})
