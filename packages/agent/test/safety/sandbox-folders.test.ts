/**
 * Programs that turn the name of a folder of the run into a way to another one. The law: bwrap mounts a folder by a name only
 * if that name leads to what it led to when the run began. Siblings that were tried besides: the working folder below the
 * folder of the document, a folder that did not exist, a link that was there before, and folders around hidden ones.
 */
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createShellTool, openSandbox } from '@argot/agent/workshop'
import { describe, expect, test } from 'vitest'
import { share } from '../../../../test/share-of-cases.ts'
import { callTool } from '../tool/tool-context.ts'
import { isTried, makeSandboxPlace } from './sandbox-place.ts'

/** What a program tries once a name may lead to the keys. */
const LOOT =
  'find -L . -type f -exec cat {} + ; cat a/b/* a/b/c/* new/* link/* ; for d in a/b a/b/c new link .; do echo x > $d/planted; done'

describe.runIf(isTried)('a folder of the run', () => {
  test.each([
    ['a folder inside another', ['.', 'a/b'], 'mv a old; mkdir a; ln -s ../../.ssh a/b'],
    ['the same by an absolute link', ['.', 'a/b'], 'mv a old; mkdir a; ln -s "$HOME/.ssh" a/b'],
    ['the folder itself', ['.', 'a/b'], 'rm -rf a/b; ln -s ../../.ssh a/b'],
    ['the folder itself, exchanged', ['a/b', '.'], 'mv a/b a/c; ln -s ../../.ssh a/b'],
    ['one of three', ['.', 'a', 'a/b'], 'mv a/b a/c; ln -s ../../.ssh a/b; mv a d; cp -a d a'],
    ['one that did not exist', ['.', 'new'], 'ln -s ../.ssh new'],
    ['one that did not exist, deeper', ['.', 'new/a'], 'mkdir new; ln -s ../../.ssh new/a'],
    ['a link that was there', ['.', 'link'], 'rm link; ln -s ../.ssh link'],
    ['the target of a link', ['.', 'link'], 'mv a/b a/c; ln -s ../../.ssh a/b'],
  ])('does not become a way to the keys: %s', async (_, roots, script) => {
    const { sh, home } = await makeSandboxPlace({ roots, files: { 'a/b/file': 'x' }, links: { link: 'a/b' } })
    await sh(script)
    const output = await sh(LOOT).catch((error: Error & { code: string }) => {
      expect(error.code).toBe('TOOL_FOLDER_CHANGED')
      expect(error.message).toContain('when the run began')
      return ''
    })
    expect(output).not.toContain('SECRET')
    expect(await readdir(join(home, '.ssh'))).toEqual(['id_ed25519'])
  })

  test('does not become one when programs start below the folder of the document', async () => {
    const { sh, home } = await makeSandboxPlace({ roots: ['below', '.'], cwd: 'below', files: { 'below/file': 'x' } })
    await sh('cd ..; mv below old; ln -s ../.ssh below')
    await expect(sh(LOOT)).rejects.toMatchObject({ code: 'TOOL_FOLDER_CHANGED' })
    expect(await readdir(join(home, '.ssh'))).toEqual(['id_ed25519'])
  })

  test.each(['../.ssh', '../.ssh/keys'])(
    'opens no secret by a link to %s that was there when the run began',
    async target => {
      const files = { '../.ssh/keys/id_rsa': 'SECRET-RSA' }
      const { sh, home } = await makeSandboxPlace({ roots: ['.', 'build'], links: { build: target }, files })
      expect(await sh('cat build/* ../.ssh/* ../.ssh/keys/*; echo x > build/planted')).not.toContain('SECRET')
      expect((await readdir(join(home, '.ssh'), { recursive: true })).sort()).toEqual([
        'id_ed25519',
        'keys',
        'keys/id_rsa',
      ])
    },
  )

  test('named by a link that is in none of the others is the folder that the link led to', async () => {
    const links = { '../link': 'outside' }
    const { sh, outside } = await makeSandboxPlace({ roots: ['.', '../link'], links })
    expect(await sh('echo x > ../outside/new && cat ../link/notes.txt')).toBe('plain')
    expect(await readFile(join(outside, 'new'), 'utf8')).toBe('x\n')
  })

  test('named by a link inside another stays closed, in later runs and those of other agents too', async () => {
    const { sh, project, outside, env } = await makeSandboxPlace({ roots: ['.', 'a/b'], files: { 'a/b/file': 'x' } })
    await sh('mv a old; mkdir a; ln -s ../../outside a/b')
    const sandbox = await openSandbox({ mode: 'require', roots: [project, join(project, 'a/b')], env })
    expect(sandbox.describe(false)).toMatch(/Closed, because a link .*a\/b" \(to ".*outside"\)\.$/)
    const tool = createShellTool({ name: 'sh', command: 'sh -c', cwd: project, env, sandbox })
    await callTool(tool, { arguments: ['echo x > a/b/new; echo x > ../outside/notes.txt'] })
    expect(await readdir(outside)).toEqual(['notes.txt'])
    expect(await readFile(join(outside, 'notes.txt'), 'utf8')).toBe('plain')
  })

  test.each([
    ['gone', async (path: string) => rename(path, `${path}.old`)],
    ['a link', async (path: string) => rename(path, `${path}.old`).then(() => symlink(`${path}.old`, path))],
    ['another folder', async (path: string) => rename(path, `${path}.old`).then(() => mkdir(path))],
  ])('is refused when it is %s', async (_, change) => {
    const { sh, project, outside, sandbox } = await makeSandboxPlace({ roots: ['.', '../outside'] })
    expect(await sh('echo fine')).toBe('fine\n')
    await change(outside)
    await expect(sh('echo fine')).rejects.toMatchObject({
      code: 'TOOL_FOLDER_CHANGED',
      message: expect.stringMatching(/^The program was not started: the folder `.*outside` is not the same folder/),
    })
    await rm(outside, { recursive: true, force: true })
    await rename(`${outside}.old`, outside)
    expect(await sh('echo fine')).toBe('fine\n')
    expect(sandbox.kind).toBe('bwrap')
    expect(existsSync(project)).toBe(true)
  })

  test('inside another one may be removed and made again, as builds do', async () => {
    const { sh } = await makeSandboxPlace({ roots: ['.', 'dist'], files: { 'dist/old': 'x' } })
    expect(await sh('rm -rf dist && mkdir dist && echo x > dist/new && ls dist')).toBe('new\n')
    expect(await sh('rm -rf dist && ls')).not.toContain('dist')
    expect(await sh('mkdir dist && echo x > dist/newer && ls dist')).toBe('newer\n')
  })

  test('that did not exist is named to the person, and stays closed', async () => {
    const { sh, sandbox, outside } = await makeSandboxPlace({ roots: ['.', '../outside/new'] })
    expect(sandbox.describe(false)).toMatch(/Didn't exist when the run began.*outside\/new"/)
    await mkdir(join(outside, 'new'))
    await sh('echo x > ../outside/new/a')
    expect(existsSync(join(outside, 'new/a'))).toBe(false)
  })

  test('with a protected name can be changed if it was named, and its place cannot', async () => {
    const { sh, project } = await makeSandboxPlace({ roots: ['.', 'sub/.vscode'], files: { 'sub/.vscode/a.json': '' } })
    expect(await sh('echo x > sub/.vscode/a.json; mv sub aside; ls')).not.toContain('aside\n')
    expect(await readFile(join(project, 'sub/.vscode/a.json'), 'utf8')).toBe('x\n')
    await sh('echo x > .vscode/tasks.json')
    expect(await readFile(join(project, '.vscode/tasks.json'), 'utf8')).toBe('{}')
  })

  test('around a hidden one cannot be moved away to show it', async () => {
    const { home, env } = await makeSandboxPlace({ mode: 'off' })
    const sandbox = await openSandbox({ mode: 'require', roots: [home], env })
    const tool = createShellTool({ name: 'sh', command: 'sh -c', cwd: home, env, sandbox })
    const sh = async (script: string) => String((await callTool(tool, { arguments: [script] })).output)
    await sh('mv .config moved; mv .ssh moved2; mv .config/argot moved3; rm -rf .config')
    expect(await sh('grep -r SECRET .')).not.toMatch(/SECRET-(TRUST|SSH|AWS|NETRC|HISTORY)/)
    expect(await readFile(join(home, '.config/argot/trust.json'), 'utf8')).toContain('SECRET')
  })

  /** A link to the keys in place of a folder, made after one around it was moved away or removed. */
  const replacements = ['a', 'a/b', 'a/b/c', 'link', 'other', 'new/er'].flatMap(at => {
    const parts = at.split('/')
    return parts.flatMap((_, depth) =>
      ['$HOME/.ssh', `${'../'.repeat(parts.length)}.ssh`].flatMap(target =>
        ['mv -T AROUND away', 'rm -rf AROUND'].map(move => {
          const around = parts.slice(0, depth + 1).join('/')
          return `${move.replaceAll('AROUND', around)}; mkdir -p $(dirname ${at}); ln -s ${target} ${at}`
        }),
      ),
    )
  })

  const some = replacements.filter((_, index) => share === 1 || index % 3 === 0)

  test.each(some)('holds when its name or one above it is replaced: %s (law)', async script => {
    const files = { 'a/b/c/file': 'x', 'other/file': 'x' }
    const roots = ['.', 'a/b/c', 'link', ...(script.includes('new/er') ? ['new/er'] : [])]
    const { sh, home } = await makeSandboxPlace({ roots, files, links: { link: 'other' } })
    await sh(script)
    expect(await sh(LOOT).catch((error: Error) => error.message)).not.toContain('SECRET')
    expect(await readdir(join(home, '.ssh'))).toEqual(['id_ed25519'])
  })
})
