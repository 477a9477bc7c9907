import { spawn, spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandLine, folderWith } from './argot.ts'
import { inProcess } from './in-process.ts'

/** `script` of util-linux gives a program a real terminal; other systems have another one, or none. */
const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true

const document =
  '<config model="demo" params="topic, lang=en"/>\n\n<user>\nAbout {{topic}} in {{lang}}. {{topik}}\n</user>\n'

async function run(...args: string[]) {
  const cwd = await folderWith({ 'a.chatmd': document })
  const named = args.map(arg => (arg === 'a.chatmd' ? join(cwd, arg) : arg))
  return { cwd, ...(await inProcess(named, { cwd })) }
}

describe('argot run -p', () => {
  test('gives the parameters, and the dry run shows them with the pieces that they are', async () => {
    const { status, stdout } = await run(
      'run',
      'a.chatmd',
      '--dry-run',
      '-p',
      'topic=a=b \x1b[2J{{tools}}',
      '--param',
      'lang=de',
    )
    expect(status).toBe(0)
    expect(stdout).toContain('params  topic = "a=b \\u001b[2J{{tools}}" (given with -p)')
    expect(stdout).toContain('        lang = "de" (given with -p)')
    expect(stdout).toContain('from the parameter topic (a.chatmd:4)')
    expect(stdout).not.toContain('\x1b')
  })

  test('is asked for in a pipe by an error with a code, and nothing is written', async () => {
    const { status, stderr, cwd } = await run('run', 'a.chatmd')
    expect(status).toBe(1)
    expect(stderr).toContain('RUN_MISSING_PARAM')
    expect(stderr).toContain('-p topic=…')
    expect(await readFile(join(cwd, 'a.chatmd'), 'utf8')).toBe(document)
    expect((await run('run', 'a.chatmd', '--dry-run')).stderr).toContain('RUN_MISSING_PARAM')
  })

  test.each([
    [['-p', 'topik=tea'], 'Did you mean `topic`?'],
    [['-p', 'topic'], 'Use the form name=value.'],
    [['-p', '=tea'], 'Use the form name=value.'],
    [['-p', 'topic=a', '-p', 'topic=b'], 'given twice'],
    [['-p', '__proto__=a'], 'no parameter `__proto__`'],
  ])('%j is refused', async (flags, words) => {
    const { status, stderr } = await run('run', 'a.chatmd', ...flags)
    expect(status).not.toBe(0)
    expect(stderr).toContain(words)
  })

  test('is not needed again: the values were sent', async () => {
    const { cwd, status } = await run('run', 'a.chatmd', '-p', 'topic=tea')
    expect(status).toBe(0)
    const again = await inProcess(['run', join(cwd, 'a.chatmd'), '--input', 'And?', '--dry-run'], { cwd })
    expect(again.stdout).toContain('topic = "tea" (as sent before)')
  })

  test.runIf(hasScript)('is asked on a terminal', async () => {
    const cwd = await folderWith({ 'a.chatmd': document })
    const quoted = commandLine(['run', 'a.chatmd'])
      .map(word => `'${word}'`)
      .join(' ')
    const child = spawn('script', ['-qec', `stty rows 30 cols 100; ${quoted}; echo "status $?"`, '/dev/null'], {
      cwd,
      env: { PATH: process.env.PATH ?? '', TERM: 'xterm-256color', HOME: cwd },
    })
    let output = ''
    let typed = 0
    const type = (keys: string, count: number): number => {
      child.stdin.write(keys)
      return count
    }
    child.stdout.setEncoding('utf8').on('data', text => {
      output += text
      // An empty answer is none, and is asked again.
      if (typed === 0 && output.includes('topic:')) typed = type('\r', 1)
      if (typed === 1 && output.includes('Enter a value for topic')) typed = type('oolong\r', 2)
    })
    await new Promise(resolve => child.on('close', resolve))
    expect(output).toContain('status 0')
    const preview = await inProcess(['run', join(cwd, 'a.chatmd'), '--input', 'And?', '--dry-run'], { cwd })
    expect(preview.stdout).toContain('topic = "oolong"')
  })
})

test('argot check says which places are not declared, and which parameters are not used', async () => {
  const { stderr, status } = await run('check', 'a.chatmd')
  expect(status).toBe(1)
  expect(stderr).toContain('CHATMD_UNDECLARED_PARAM')
  expect(stderr).not.toContain('CHATMD_UNUSED_PARAM')
  const cwd = await folderWith({ 'b.chatmd': '<config params="lang"/>\n<user>Hi.</user>\n' })
  expect((await inProcess(['check', join(cwd, 'b.chatmd')], { cwd })).stderr).toContain('CHATMD_UNUSED_PARAM')
})
