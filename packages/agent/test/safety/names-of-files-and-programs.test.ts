import { execFile } from 'node:child_process'
import { chmod, copyFile, link as hardLink, mkdir, mkdtemp, realpath, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { RuleBook, type RuleTexts, type Subject } from '@argot/agent/internal'
import * as fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import { globalOptions, wrappers } from '../../src/approval/command-table.ts'
import { collectRules } from '../../src/settings/collect-rules.ts'
import { callsThenAnswer, hostileRun, makePlace } from './hostile-run.ts'

let root: string
let bin: string

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'argot-names-')))
  bin = join(root, 'bin')
  for (const folder of ['bin', 'secrets/deep', 'docs', 'src', 'many']) {
    await mkdir(join(root, folder), { recursive: true })
  }
  await put('bin/git')
  await symlink('git', join(bin, 'linked'))
  await symlink('linked', join(bin, 'linked-twice'))
  await hardLink(join(bin, 'git'), join(bin, 'hard'))
  await copyFile(join(bin, 'git'), join(bin, 'copy'))
  await put('bin/env')
  await symlink('env', join(bin, 'surroundings'))
  await hardLink(join(bin, 'env'), join(bin, 'hard-surroundings'))
  await put('bin/busybox')
  for (const name of ['rm', 'ls']) await symlink('busybox', join(bin, name))
  for (const name of ['cp', 'mv']) await hardLink(join(bin, 'busybox'), join(bin, name))
  for (const file of ['secrets/key', 'secrets/deep/key', '.env', 'docs/plain', 'src/own']) await put(file)
  await hardLink(join(root, 'secrets/key'), join(root, 'docs/innocent'))
  await hardLink(join(root, 'secrets/deep/key'), join(root, 'many/deep'))
  await hardLink(join(root, '.env'), join(root, 'docs/settings'))
  await hardLink(join(root, 'src/own'), join(root, 'src/twin'))
})

async function put(name: string): Promise<void> {
  await writeFile(join(root, name), `#!/bin/sh\necho ${name}\n`)
  await chmod(join(root, name), 0o755)
}

/** What is decided about a call under `ask`, for a tool that only reads as for one that runs programs. */
async function judge(texts: RuleTexts, toolName: string, subject: Subject): Promise<string> {
  const { rules } = collectRules({ flag: texts })
  const book = new RuleBook({ policy: 'ask', rules, roots: [root], path: bin })
  const effect = subject.kind === 'command' ? 'exec' : toolName === 'write_file' ? 'write' : 'read'
  return (await book.judge({ toolName, effect, subject })).decision
}

const run = (texts: RuleTexts, ...words: string[]): Promise<string> => judge(texts, 'tool', { kind: 'command', words })
const noPush: RuleTexts = { deny: ['git(push **)'] }

describe('a rule on a program', () => {
  test.each([
    'git push',
    'git -C . push',
    'git -C. push',
    'git -c user.name=x -C /tmp --no-pager push origin',
    'git --git-dir=/x/.git --work-tree /x push',
    'git --unknown-option push',
    'git --unknown-option value push',
    'git -p -P push',
    'git -c alias.x=push x',
    'git -c alias.x=!git\\ push x',
    'git-push origin',
    '/usr/lib/git-core/git-push origin',
    'git.exe push',
    'env git push',
    'env -i A=1 B=2 git push',
    'env -u HOME -C /tmp -- git push',
    'env -S git\\ push',
    'env -iS git\\ -C\\ .\\ push',
    'env --split-string=git\\ push --force',
    'sudo -u root -E git push',
    'sudo A=1 git push',
    'doas git push',
    'nice -n 5 git push',
    'nice -5 git push',
    'nohup git push',
    'timeout -s KILL 10 git push',
    'timeout -k5 10s git push',
    'time -p git push',
    'command git push',
    'exec -a x git push',
    'stdbuf -oL git push',
    'setsid -w git push',
    'chroot --userspec=me / git push',
    'ionice -c2 -n7 git push',
    'taskset -c 0-3 git push',
    'flock /tmp/lock git push',
    'xargs -n 1 git push',
    'xargs -I{} git push {}',
    'find . -name x -exec git push {} ;',
    'busybox env git push',
    'strace -f -e trace=network git push',
    'uv run git push',
    'uv run --with x git push',
    'bundle exec git push',
    'direnv exec . git push',
    'npm --prefix x exec -- git push',
    'sudo env nice timeout 5 git -C . push',
    './bin/linked push',
    'linked push',
    'linked-twice -C . push',
    './bin/hard push',
    'sudo hard -C . push',
    'surroundings git push',
    'surroundings -i hard push',
    'hard-surroundings A=1 git -C . push',
  ])('that denies pushing finds it in %j', async line => {
    const words = line.match(/(?:\\.|[^\s\\])+/g)!.map(word => word.replace(/\\(.)/g, '$1'))
    expect(await run(noPush, ...words)).toBe('refuse')
    expect(await run({ ask: ['git(push **)'], allow: [`${words[0]}(**)`] }, ...words)).toBe('ask')
  })

  test.each([
    'git status',
    'git -C . status push',
    'git commit -m push',
    'echo git push',
    'env echo git push',
    'sudo -n echo git push',
    'timeout 10 echo git push',
    'env -u git echo push',
    'find . -name git -name push',
    'uv add git push',
    'gitk push',
  ])('that denies pushing does not find it in %j', async line => {
    expect(await run(noPush, ...line.split(' '))).toBe('ask')
  })

  test.each([
    [['npm(publish **)'], 'npm --prefix ./x publish'],
    [['npm(publish **)'], 'npm -C x --registry http://x publish --tag next'],
    [['docker(push **)'], 'docker --host tcp://x push image'],
    [['docker(push **)'], 'docker -H tcp://x --context y push image'],
    [['docker(compose down **)'], 'docker compose -f x.yml down'],
    [['docker(compose down **)'], 'docker -H x compose -p y down -v'],
    [['kubectl(delete **)'], 'kubectl -n prod --context x delete pod y'],
    [['kubectl(delete pod **)'], 'kubectl delete -n prod pod y'],
    [['helm(uninstall **)'], 'helm --kube-context x uninstall y'],
    [['terraform(destroy **)'], 'terraform -chdir=infra destroy'],
    [['cargo(publish **)'], 'cargo +nightly publish'],
    [['aws(s3 rm **)'], 'aws --profile x s3 rm y'],
    [['aws(s3 rm **)'], 'aws s3 --region eu rm y'],
    [['gh(repo delete **)'], 'gh -R a/b repo delete'],
    [['make(deploy)'], 'make -C sub deploy'],
    [['systemctl(stop **)'], 'systemctl --user stop x'],
  ])('%j finds %j', async (deny, line) => {
    expect(await run({ deny }, ...line.split(' '))).toBe('refuse')
  })

  test('that allows is for the words as they are, and never for a program inside another', async () => {
    for (const line of ['env git status', 'sudo git status', 'git -C . status', 'linked status', './bin/git status']) {
      expect([line, await run({ allow: ['git(status)', 'git(status **)'] }, ...line.split(' '))]).toEqual([line, 'ask'])
    }
    expect(await run({ allow: ['git(-C * status)'] }, 'git', '-C', 'x', 'status')).toBe('run')
    expect(await run({ allow: ['sudo(apt update)'] }, 'sudo', 'apt', 'update')).toBe('run')
  })

  test('that allows all but a pattern leaves it out in every reading', async () => {
    const allow = { allow: ['git(!push **)', 'env(!push **)'] }
    expect(await run(allow, 'git', 'status')).toBe('run')
    for (const line of ['git -C . push', 'git -c alias.x=push x', 'env git push', 'git --odd x push']) {
      expect([line, await run(allow, ...line.split(' '))]).toEqual([line, 'ask'])
    }
  })

  test('by its full path finds it under its name, and by its name under its full path', async () => {
    expect(await run({ deny: [`${bin}/git(push **)`] }, 'git', 'push')).toBe('refuse')
    expect(await run({ deny: [`${bin}/git(push **)`] }, 'hard', 'push')).toBe('refuse')
    expect(await run({ deny: ['linked(push **)'] }, 'git', 'push')).toBe('refuse')
  })

  test('tells the names of one program that is many apart', async () => {
    const deny = { deny: ['rm(**)', 'mv(**)'] }
    for (const name of ['rm', 'mv']) expect(await run(deny, name, 'x')).toBe('refuse')
    for (const name of ['ls', 'cp']) expect(await run(deny, name, 'x')).toBe('ask')
    expect(await run(deny, 'busybox', 'rm', 'x')).toBe('refuse')
  })

  test('asks about a command line with more layers than it reads', async () => {
    const allow = { ...noPush, allow: ['env(**)'] }
    const layers = (count: number): string[] => Array.from({ length: count }, () => 'env')
    expect(await run(allow, ...layers(50), 'git', 'push')).toBe('refuse')
    expect(await run(allow, ...layers(5000), 'git', 'push')).toBe('ask')
    expect(await run(allow, ...layers(50), 'true')).toBe('run')
  })

  test('law: it finds a program however deep it is wrapped, and a rule that allows it does not', async () => {
    const names = Object.entries(wrappers).filter(([, one]) => one.between === undefined)
    const layer = fc
      .constantFrom(...names)
      .chain(([name, { values, flags = '', operands = 0, subcommands, assignments }]) => {
        const option = (kind: string) =>
          fc.constantFrom(...kind.split(' ').filter(one => one !== '' && !/^(?:S|split-string)$/.test(one)))
        const dash = (one: string): string => (one.length === 1 ? `-${one}` : `--${one}`)
        const some = [
          ...(values === '' ? [] : [option(values).map(one => [dash(one), 'value'])]),
          ...(flags === '' ? [] : [option(flags).map(one => [dash(one)])]),
          ...(assignments === true ? [fc.constant(['NAME=value'])] : []),
          fc.constant(['--not-in-the-table']),
          fc.constant(['--not-in-the-table', 'value']),
          fc.constant(['--not-in-the-table=value']),
        ]
        const words = fc.array(fc.oneof(...some), { maxLength: 2 }).map(all => all.flat())
        return words.map(all => [
          ...[name, ...(subcommands === undefined ? [] : [subcommands.split(' ')[0]!]), ...all],
          ...Array.from({ length: operands }, () => 'operand'),
        ])
      })
    const program = fc
      .constantFrom(...Object.entries(globalOptions).filter(([name]) => !name.includes(' ')))
      .chain(([name, { values }]) => {
        const given = fc
          .constantFrom(...values.split(' '))
          .map(one => (one.length === 1 ? [`-${one}`, 'v'] : [`--${one}=v`]))
        return fc.array(given, { maxLength: 3 }).map(all => ({ name, words: [name, ...all.flat(), 'subcommand', 'x'] }))
      })
    await fc.assert(
      fc.asyncProperty(fc.array(layer, { maxLength: 3 }), program, async (layers, { name, words }) => {
        const line = [...layers.flat(), ...words]
        expect(await run({ deny: [`${name}(subcommand **)`] }, ...line)).toBe('refuse')
        if (line.length > 3) expect(await run({ allow: [`${name}(subcommand **)`] }, ...line)).toBe('ask')
      }),
      { numRuns: shareOf(2000) },
    )
  })
})

describe('a rule on a file', () => {
  const read = (texts: RuleTexts, path: string, tree = false): Promise<string> =>
    judge(texts, 'read_file', { kind: 'path', paths: [path], tree })
  const write = (texts: RuleTexts, path: string): Promise<string> =>
    judge(texts, 'write_file', { kind: 'path', paths: [path] })

  test.each([
    ['read_file(secrets/**)', 'docs/innocent'],
    ['read_file(secrets/*)', 'docs/innocent'],
    ['*(secrets/key)', 'docs/innocent'],
    ['read_file(secrets/**)', 'many/deep'],
    ['read_file(.env)', 'docs/settings'],
    ['read_file(**/.env)', 'docs/settings'],
    ['read_file(.e*)', 'docs/settings'],
  ])('that denies %s finds its other name %s', async (rule, path) => {
    expect(await read({ deny: [rule] }, path)).toBe('refuse')
    expect(await read({ deny: [rule] }, join(root, path))).toBe('refuse')
    expect(await read({ ask: [rule] }, path)).toBe('ask')
    expect(await read({ deny: [rule] }, 'docs/plain')).toBe('run')
  })

  test('that is absolute finds the other names too', async () => {
    expect(await read({ deny: [`read_file(${root}/secrets/**)`] }, 'docs/innocent')).toBe('refuse')
    expect(await read({ deny: [`read_file(${root}/secrets/key)`] }, 'docs/innocent')).toBe('refuse')
    expect(await read({ deny: [`read_file(${root}/secrets/key)`] }, 'many/deep')).toBe('run')
  })

  test('that denies finds them in a search through a folder', async () => {
    expect(await read({ deny: ['read_file(secrets/**)'] }, 'docs', true)).toBe('refuse')
    expect(await read({ deny: ['read_file(secrets/**)'] }, 'src', true)).toBe('run')
  })

  test('that allows is for a file only if all of its names are', async () => {
    expect(await write({ allow: ['write_file(docs/**)'] }, 'docs/plain')).toBe('run')
    expect(await write({ allow: ['write_file(docs/**)'] }, 'docs/innocent')).toBe('ask')
    expect(await write({ allow: ['write_file(src/**)'] }, 'src/twin')).toBe('run')
    expect(await write({ allow: ['write_file(src/own)'] }, 'src/own')).toBe('ask')
    expect(await write({ allow: ['write_file(!secrets/**)'] }, 'docs/innocent')).toBe('ask')
    expect(await write({ allow: ['write_file(!secrets/**)'] }, 'docs/plain')).toBe('run')
  })

  test('that denies all but a folder asks about a file of it that has a name elsewhere', async () => {
    expect(await read({ deny: ['read_file(!docs/**)'] }, 'docs/plain')).toBe('run')
    expect(await read({ deny: ['read_file(!docs/**)'] }, 'docs/innocent')).toBe('ask')
    expect(await read({ deny: ['read_file(!src/**)'] }, 'src/twin')).toBe('run')
  })
})

test('in a whole run a real git is refused behind `env`, a link and a hard link, and its status runs', async () => {
  const git = (await promisify(execFile)('sh', ['-c', 'command -v git'])).stdout.trim()
  const place = await makePlace(
    '<tool name="a" command="env git"/>\n<tool name="b" command="./g"/>\n<tool name="c" command="git"/>\n<user>\nGo.\n</user>\n',
  )
  await symlink(git, join(place.project, 'g'))
  const steps = callsThenAnswer(
    ['a', { arguments: ['push', 'origin'] }],
    ['b', { arguments: ['push', 'origin'] }],
    ['c', { arguments: ['-C', '.', 'push'] }],
    ['b', { arguments: ['--version'] }],
  )
  const options = {
    rules: { deny: ['git(push **)'] },
    allowExec: true,
    approve: 'all',
    env: { PATH: process.env.PATH },
  } as const
  const { calls } = await hostileRun(place, steps, options)
  expect(calls.map(one => one.resultProviderMetadata?.argot?.code ?? one.state)).toEqual([
    'TOOL_NOT_ALLOWED',
    'TOOL_NOT_ALLOWED',
    'TOOL_NOT_ALLOWED',
    'output-available',
  ])
})
