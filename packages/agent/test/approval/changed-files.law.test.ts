import { mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ApprovalAnswer, type ApprovalRequest, runDocument } from '@argot/agent'
import { toolCalls } from '@argot/core'
import { expect, onTestFinished, test } from 'vitest'
import { share } from '../../../../test/share-of-cases.ts'
import { call, finish, scriptedModel } from '../scripted-model.ts'

/*
 * A person is asked about a call that changes files, the files change while the question waits, and the person says yes. The law:
 * either what they were shown is done, or nothing.
 */
const todo = 'one\ntwo\nthree\nfour\nfive\n'
const files = { 'todo.md': todo, 'crlf.md': todo.replaceAll('\n', '\r\n'), 'other.md': 'one\ntwo\nother\n' }
const patch = (body: string): { patch: string } => ({ patch: `*** Begin Patch\n${body}*** End Patch\n` })

const calls: Record<string, [tool: string, input: unknown]> = {
  replace: ['find_and_replace', { path: 'todo.md', search: 'two', replace: 'TWO' }],
  'replace all': ['find_and_replace', { path: 'todo.md', search: 'o', replace: '0', all: true }],
  'replace in CRLF': ['find_and_replace', { path: 'crlf.md', search: 'two\nthree', replace: 'TWO\nTHREE' }],
  'replace what is not there': ['find_and_replace', { path: 'todo.md', search: 'seven', replace: 'SEVEN' }],
  write: ['write_file', { path: 'todo.md', content: 'new\n' }],
  create: ['write_file', { path: 'new.md', content: 'new\n' }],
  append: ['append_to_file', { path: 'todo.md', content: 'six\n' }],
  patch: ['apply_patch', patch('*** Update File: todo.md\n@@\n one\n-two\n+TWO\n three\n')],
  'patch of two files': [
    'apply_patch',
    patch(
      '*** Update File: todo.md\n@@\n one\n-two\n+TWO\n three\n*** Update File: other.md\n@@\n two\n-other\n+OTHER\n',
    ),
  ],
  'patch that adds': ['apply_patch', patch('*** Add File: new.md\n+new\n')],
  'patch that deletes': ['apply_patch', patch('*** Delete File: todo.md\n')],
  'patch that moves': [
    'apply_patch',
    patch('*** Update File: todo.md\n*** Move to: done.md\n@@\n one\n-two\n+TWO\n three\n'),
  ],
}

const changes: Record<string, (folder: string) => Promise<unknown>> = {
  nothing: async () => {},
  'a line elsewhere': folder => edit(folder, text => text.replace('five', 'FIVE')),
  'a line before it': folder => edit(folder, text => `zero\n${text}`),
  'the line itself': folder => edit(folder, text => text.replace('two', 'zwei')),
  'the line twice': folder => edit(folder, text => `${text}two\n`),
  'what was missing': folder => edit(folder, text => `${text}seven\n`),
  'the file is removed': folder => Promise.all(['todo.md', 'crlf.md'].map(name => unlink(join(folder, name)))),
  'the file is a link to another': async folder => {
    for (const name of ['todo.md', 'crlf.md']) {
      await unlink(join(folder, name))
      await symlink('other.md', join(folder, name))
    }
  },
  'a new file': folder => writeFile(join(folder, 'new.md'), 'of somebody else\n'),
  'it is not text any more': folder => writeFile(join(folder, 'todo.md'), Buffer.from([0, 1, 2, 0])),
}

async function edit(folder: string, change: (text: string) => string): Promise<void> {
  for (const [name, end] of [
    ['todo.md', '\n'],
    ['crlf.md', '\r\n'],
  ] as const) {
    const text = (await readFile(join(folder, name), 'utf8')).replaceAll('\r\n', '\n')
    await writeFile(join(folder, name), change(text).replaceAll('\n', end))
  }
}

async function snapshot(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter(name => name.endsWith('.md')).sort()
  const read = async (name: string): Promise<string> =>
    readlink(join(folder, name)).then(
      to => `-> ${to}`,
      () => readFile(join(folder, name), 'latin1'),
    )
  return Object.fromEntries(await Promise.all(names.map(async name => [name, await read(name)] as const)))
}

const document = ['find_and_replace', 'write_file', 'append_to_file', 'apply_patch']
  .map(name => `<tool name="${name}"/>\n`)
  .join('')

async function decide(
  [tool, input]: [string, unknown],
  answer: (request: ApprovalRequest, folder: string) => Promise<ApprovalAnswer>,
): Promise<{ folder: string; call: ReturnType<typeof toolCalls>[number]; request: ApprovalRequest }> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'argot-changed-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const work = join(folder, 'work')
  await mkdir(work)
  for (const [name, text] of Object.entries(files)) await writeFile(join(work, name), text)
  await writeFile(join(work, 'chat.chatmd'), `${document}\n<user>\nDo it.\n</user>\n`)
  let seen: ApprovalRequest | undefined
  const run = runDocument(join(work, 'chat.chatmd'), {
    model: scriptedModel([[...call('c1', tool, input), finish('tool-calls')], 'Done.']),
    env: {},
    cwd: work,
    configFolder: join(folder, 'config'),
    ask: request => {
      seen = request
      return answer(request, work)
    },
  })
  const { message } = await run.result
  return { folder: work, call: toolCalls(message!)[0]!, request: seen! }
}

const shownLines = ({ changes: seen = [] }: ApprovalRequest): string[] =>
  seen
    .flatMap(({ diff = '' }) => diff.split('\n').filter(line => /^[-+]/.test(line)))
    .map(line => line.replace(/\r$/, ''))

/** The lines that a folder has lost and got. */
function changedLines(before: Record<string, string>, after: Record<string, string>): string[] {
  const count = (state: Record<string, string>): Map<string, number> => {
    const lines = new Map<string, number>()
    for (const text of Object.values(state)) {
      for (const line of text.split('\n')) lines.set(line.trimEnd(), (lines.get(line.trimEnd()) ?? 0) + 1)
    }
    return lines
  }
  const [old, now] = [count(before), count(after)]
  return [...new Set([...old.keys(), ...now.keys()])].flatMap(line => {
    const more = (now.get(line) ?? 0) - (old.get(line) ?? 0)
    return line === '' || more === 0 ? [] : [`${more > 0 ? '+' : '-'}${line}`]
  })
}

/** What these do is about all that is in the file. */
const wholeFiles = new Map([
  ['write', 'todo.md'],
  ['create', 'new.md'],
  ['patch that deletes', 'todo.md'],
])

test.each(Object.entries(calls))(
  '%s: what was shown is done, or nothing, whatever happens to the files',
  async (name, one) => {
    const offset = Object.keys(calls).indexOf(name)
    const cases = Object.entries(changes).filter((_, index) => share === 1 || (index + offset) % 3 === 0)
    for (const [what, change] of cases) {
      let [asked, before]: Record<string, string>[] = []
      const {
        folder,
        call: made,
        request,
      } = await decide(one, async (_, work) => {
        asked = await snapshot(work)
        await change(work)
        before = await snapshot(work)
        return { approved: true }
      })
      const after = await snapshot(folder)
      const place = `${name}, ${what}`
      if (made.state !== 'output-available') {
        expect(after, place).toEqual(before)
        expect(made.state, place).toBe('output-error')
        expect(made.errorText, place).not.toBe('')
        continue
      }
      // Nothing is shown as possible that then does something else.
      expect(request.problem, place).toBeUndefined()
      const whole = wholeFiles.get(name)
      if (whole !== undefined) expect(before![whole], place).toBe(asked![whole])
      const lines = changedLines(before!, after)
      for (const line of lines) expect(shownLines(request), `${place}: ${line}`).toContain(line)
    }
  },
)

test.each([
  ['replace', 'a line elsewhere'],
  ['replace', 'a line before it'],
  ['patch', 'a line elsewhere'],
  ['append', 'a line elsewhere'],
])('%s still runs after %s was changed', async (name, what) => {
  const { call: made } = await decide(calls[name]!, async (_, work) => {
    await changes[what]!(work)
    return { approved: true }
  })
  expect(made).toMatchObject({ state: 'output-available' })
})

test('an input that the person edited does not write over a file that changed meanwhile', async () => {
  const edited = { path: 'todo.md', content: 'mine\n' }
  const { folder, call: made } = await decide(calls.write!, async (_, work) => {
    await changes['a line elsewhere']!(work)
    return { approved: true, input: edited }
  })
  expect(made).toMatchObject({ state: 'output-error', errorText: expect.stringContaining('changed after') })
  expect(await readFile(join(folder, 'todo.md'), 'utf8')).toContain('FIVE')
  const quiet = await decide(calls.write!, async () => ({ approved: true, input: edited }))
  expect(await readFile(join(quiet.folder, 'todo.md'), 'utf8')).toBe('mine\n')
})

test('a call that cannot be done is asked about with the reason, and with no diff', async () => {
  const { request, call: made } = await decide(calls['replace what is not there']!, async () => ({ approved: true }))
  expect([request.problem, request.changes]).toEqual(['The text is not in `todo.md`.', undefined])
  expect(made.state).toBe('output-error')
})

test('line numbers in a diff are those of the file', async () => {
  const { request } = await decide(calls.replace!, async () => ({ approved: false }))
  expect(request.changes?.[0]?.diff).toContain('@@ -1,5 +1,5 @@')
  const late = await decide(['find_and_replace', { path: 'todo.md', search: 'five', replace: '5' }], async () => ({
    approved: false,
  }))
  expect(late.request.changes?.[0]?.diff).toContain('@@ -2,4 +2,4 @@')
})
