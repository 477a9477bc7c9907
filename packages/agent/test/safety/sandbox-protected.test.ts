/**
 * Programs that make protection run out, or move it away. The law: what was protected once in a run stays protected, at its
 * place, to the end of the run; and what is not looked at is said. Siblings that were tried besides: bare repositories,
 * those in the root itself, and more protected names than can be mounted.
 */
import { existsSync } from 'node:fs'
import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openSandbox } from '@argot/agent/workshop'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isTried, makeSandboxPlace } from './sandbox-place.ts'

const makeMany = (count: number): string =>
  `node -e 'const fs=require("fs");fs.mkdirSync("0");for(let i=0;i<${count};i++)fs.writeFileSync("0/"+i,"")'`

describe.runIf(isTried)('what other programs obey', () => {
  test('stays protected when files are made until nothing more is found, and that is said', async () => {
    const { sh, project, env, sandbox } = await makeSandboxPlace({ files: { 'z/deep/er/.git/config': '[core]\n' } })
    expect(sandbox.describe(false)).not.toContain('entries')
    expect(await sh(makeMany(50_000))).toMatch(/\[The run's folders contain more than 50 000 entries/)
    const output = await sh('echo x >> z/deep/er/.git/config; mv z/deep aside; mv z aside; rm -rf z; exit 0')
    expect(output).toContain('Read-only file system')
    expect(await readFile(join(project, 'z/deep/er/.git/config'), 'utf8')).toBe('[core]\n')
    // A run that begins here knows less, and the person reads it.
    const later = await openSandbox({ mode: 'require', roots: [project], env })
    expect(later.describe(false)).toMatch(/^Confined by bwrap.* more than 50 000 entries.*not found or protected/)
  })

  test('is found deep down', async () => {
    const { sh } = await makeSandboxPlace({ files: { '1/2/3/4/5/6/7/8/9/.git/config': '' } })
    expect(await sh('echo x > 1/2/3/4/5/6/7/8/9/.git/config; exit 0')).toContain('Read-only file system')
    expect(await sh('mkdir -p 1/2/3/4/5/6/7/8/9/10/11/.git')).toMatch(/made ".*11\/\.git"/)
  })

  test.each([
    ['of git', 'git init -q --bare new', 'new'],
    ['by hand', 'mkdir -p new/objects new/refs; echo "ref: refs/heads/x" > new/HEAD; echo > new/config', 'new'],
    ['deeper', 'git init -q --bare a/b/c.git', 'a/b/c.git'],
    ['of a work tree', 'mkdir new; echo x > new/HEAD; echo ../.git > new/commondir; echo > new/config', 'new'],
  ])('is reported and protected when it is a new bare repository %s', async (_, script, path) => {
    const { sh, project } = await makeSandboxPlace()
    expect(await sh(script)).toMatch(new RegExp(`made ".*/${path}", which other programs may obey later`))
    const before = await readFile(join(project, path, 'config'), 'utf8')
    await sh(`echo x >> ${path}/config; echo x > ${path}/hooks; rm -rf ${path}; mv ${path} other`)
    expect(await readFile(join(project, path, 'config'), 'utf8')).toBe(before)
    expect(await sh('echo fine')).toBe('fine\n')
  })

  test('is reported when the root itself becomes a repository', async () => {
    const { sh } = await makeSandboxPlace()
    const output = await sh('mkdir objects refs hooks; echo x > HEAD; echo > config')
    expect(output).toMatch(/made .*project\/(HEAD|config|hooks)", which other programs/)
  })

  test('cannot be made again in place of a folder that was moved away', async () => {
    const { sh, project } = await makeSandboxPlace()
    const before = await lstat(join(project, 'sub/.git'))
    const output = await sh('mv sub aside; mkdir -p sub/.git; echo x > sub/.git/config; exit 0')
    expect(output).toContain("cannot move 'sub'")
    expect(await readFile(join(project, 'sub/.git/config'), 'utf8')).toBe('[core]\n')
    expect((await lstat(join(project, 'sub/.git'))).ino).toBe(before.ino)
    expect(existsSync(join(project, 'aside'))).toBe(false)
  })

  test('cannot be made so often that protection ends', async () => {
    const { sh } = await makeSandboxPlace()
    await sh('i=0; while [ $i -lt 1000 ]; do mkdir -p m/$i/.vscode; i=$((i+1)); done')
    await expect(sh('echo x > .git/config')).rejects.toMatchObject({
      code: 'TOOL_COMMAND_NOT_STARTED',
      message: expect.stringMatching(/places in the run's folders would need protection/),
    })
  })

  test('keeps content, place and identity in any order of renames (law)', async () => {
    const name = fc.constantFrom('p', 'p/q', 'p/q/.vscode', 'p/q/.vscode/a', 'p/.npmrc', 's', 's/.git', 't', 'p/t')
    const step = fc.oneof(
      fc.tuple(name, name).map(([from, to]) => `mv -T ${from} ${to}`),
      fc.tuple(fc.constantFrom('p', 'p/q', 's'), name).map(([from, to]) => `mv ${from} aside; mkdir -p ${to}`),
      fc.tuple(name, name).map(([from, to]) => `ln -sfn $PWD/${from} ${to}`),
      name.map(at => `rm -rf ${at}`),
      name.map(at => `echo planted > ${at}`),
      name.map(at => `mkdir -p ${at}`),
    )
    const kept = ['p/q/.vscode/a', 'p/.npmrc', 's/.git']
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { minLength: 2, maxLength: 8 }), { maxLength: 2 }), async scripts => {
        const { sh, project } = await makeSandboxPlace({ files: Object.fromEntries(kept.map(one => [one, one])) })
        const look = () =>
          Promise.all(
            kept.map(async one => {
              const { ino } = await lstat(join(project, one))
              return [await readFile(join(project, one), 'utf8'), ino]
            }),
          )
        const before = await look()
        for (const script of scripts) await sh(script.join('; '))
        expect(await look()).toEqual(before)
      }),
      { numRuns: 8 },
    )
  })
})
