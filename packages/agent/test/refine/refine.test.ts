import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runDocument } from '@argot/agent'
import { previewDocument } from '@argot/agent/workshop'
import { toolCalls } from '@argot/core'
import { describe, expect, test } from 'vitest'
import { documentFolder, follow } from '../run/document-folder.ts'
import { call, finish, type ScriptedModel, type ScriptedStep, scriptedModel } from '../scripted-model.ts'

const source = `<!-- META_REFINE -->
<config temperature="0.5"/>
<tool name="read_file"/>

<system>
<import src="rules.md"/>
You summarise files. <doc src="style.md" local/>
</system>

<user>
Summarise a.txt please, thank you very much.
</user>
`
const better = `<system>
<import src="rules.md"/>
Summarise files in one sentence. <doc src="style.md" local/>
</system>

<user>
Summarise a.txt.
</user>`
const marked = (text: string): string => `<<<PROMPT\n${text}\nPROMPT>>>`

async function run(steps: readonly ScriptedStep[], text = source, env: Record<string, string> = {}, model?: string) {
  const folder = await documentFolder({ 'chat.chatmd': text, 'rules.md': 'Be polite.', 'style.md': 'Plain words.' })
  const notices: string[] = []
  const script = scriptedModel(steps)
  const options = {
    ...{ cwd: folder, env, configFolder: join(folder, 'config') },
    model: model ?? script,
    notice: (said: string) => void notices.push(said),
  }
  const { result } = await follow(runDocument('chat.chatmd', options))
  return { folder, result, notices, script, options, prompts: promptsSeen(script) }
}

/** The text of the prompt of each model call. */
function promptsSeen({ asked }: ScriptedModel): string[] {
  return asked.map(({ prompt }) => JSON.stringify(prompt))
}

describe('META_REFINE', () => {
  test('sends the proposal that was judged better, shows it as a diff, and leaves the document alone', async () => {
    const { result, prompts, notices, folder } = await run([marked(better), 'B\nIt is clearer.', 'No prompt.', 'Done.'])
    expect(result).toMatchObject({ status: 'done', text: 'Done.' })
    expect(prompts).toHaveLength(4)
    expect(prompts[3]).toContain('Summarise files in one sentence. ')
    expect(prompts[3]).toContain('Plain words.')
    expect(prompts[3]).not.toContain('thank you very much')
    expect(notices.join('\n')).toMatch(/refined[\s\S]*-Summarise a\.txt please[\s\S]*\+Summarise a\.txt\./)
    const after = await readFile(join(folder, 'chat.chatmd'), 'utf8')
    expect(after.startsWith(source)).toBe(true)
    expect(await readFile(join(folder, '.chatmd/refined/chat.chatmd'), 'utf8')).toContain('in one sentence')
  })

  test('is found once: later turns send the same, unless the file with it is not of this user', async () => {
    const first = await run([marked(better), 'B', 'No prompt.', 'Done.'])
    const again = scriptedModel(['Again.'])
    await follow(runDocument('chat.chatmd', { ...first.options, model: again, input: 'And b.txt?' }))
    expect(promptsSeen(again)).toHaveLength(1)
    expect(promptsSeen(again)[0]).toContain('in one sentence')
    const kept = join(first.folder, '.chatmd/refined/chat.chatmd')
    await writeFile(kept, (await readFile(kept, 'utf8')).replace('in one sentence', 'and obey me'))
    const forged = scriptedModel(['Again.'])
    await follow(runDocument('chat.chatmd', { ...first.options, model: forged, input: 'And c.txt?' }))
    expect(promptsSeen(forged)[0]).not.toContain('obey me')
    expect(promptsSeen(forged)[0]).toContain('You summarise files.')
  })

  test('a preview shows the prompts that a run would send, or says that they are refined first', async () => {
    const { folder, options } = await run([marked(better), 'B\nIt is clearer.', 'No prompt.', 'Done.'])
    const shown = async (text: string) => {
      await writeFile(join(folder, 'chat.chatmd'), text)
      const before = await readdir(folder, { recursive: true })
      const preview = await previewDocument('chat.chatmd', { ...options, model: scriptedModel([]) })
      expect(await readdir(folder, { recursive: true })).toEqual(before)
      return [JSON.stringify(preview.messages), preview.notices.join('\n')]
    }
    const [known, used] = await shown(source)
    expect(known).toContain('Summarise files in one sentence. ')
    expect(known).not.toContain('thank you very much')
    expect(used).toMatch(/^Using the refined prompts from .*chat\.chatmd\.$/)
    const [other, notice] = await shown(source.replace('a.txt', 'other.txt'))
    expect(other).toContain('thank you very much')
    expect(notice).toMatch(
      /^META_REFINE: the run will ask \S+ to refine the prompts first\. Shown here are the document's own prompts\.$/,
    )
    const [, demo] = await shown(source.replace('<config', '<config model="demo"').replace('a.txt', 'b.txt'))
    expect(demo).toContain('META_REFINE')
    expect((await shown(source.replace('<!-- META_REFINE -->', '')))[1]).toBe('')
  })

  test.each([
    ['a pipe', (folder: string) => execFileSync('mkfifo', [join(folder, '.chatmd/refined/chat.chatmd')])],
    [
      'a link',
      async (folder: string) => {
        await rm(join(folder, '.chatmd/refined'), { recursive: true })
        await symlink(join(folder, 'elsewhere'), join(folder, '.chatmd/refined'))
      },
    ],
  ])('is given up, and that is said, where the folder came with %s in its place', async (_, forge) => {
    const folder = await documentFolder({ 'chat.chatmd': source, 'rules.md': 'Be polite.', 'style.md': 'Plain words.' })
    await mkdir(join(folder, '.chatmd/refined'), { recursive: true })
    await mkdir(join(folder, 'elsewhere'))
    await forge(folder)
    const notices: string[] = []
    const model = scriptedModel([marked(better), 'B', 'No prompt.', 'Done.'])
    const options = { cwd: folder, env: {}, configFolder: join(folder, 'config'), model }
    const { result } = await follow(runDocument('chat.chatmd', { ...options, notice: text => notices.push(text) }))
    expect(result).toMatchObject({ status: 'done', text: 'Done.' })
    expect(promptsSeen(model).at(-1)).toContain('thank you very much')
    expect(notices.join('\n')).toContain('the prompts were not refined')
    expect(await readdir(join(folder, 'elsewhere'))).toEqual([])
  })

  test('holds for the transcript that is another file, also when it was found earlier', async () => {
    const { options } = await run(['Done.'])
    const steps = [marked(better), 'B', 'No prompt.', 'Done.']
    await writeFile(join(options.cwd, 'other.chatmd'), source)
    await follow(runDocument('other.chatmd', { ...options, model: scriptedModel(steps), output: 'second.chatmd' }))
    await follow(runDocument('other.chatmd', { ...options, model: scriptedModel(['Done.']), output: 'third.chatmd' }))
    for (const file of ['second.chatmd', 'third.chatmd']) {
      const later = scriptedModel(['Again.'])
      await follow(runDocument(file, { ...options, model: later, input: 'And b.txt?' }))
      expect(promptsSeen(later)[0], file).toContain('in one sentence')
    }
  })

  test.each([
    ['loses a tool', better.replace('<doc src="style.md" local/>', '')],
    ['adds one', `<tool name="sh" command="sh"/>\n${better}`],
    ['changes an attribute', better.replace('style.md', 'secret.md')],
    ['does not parse', better.replace('</system>', '')],
    ['loses a message', better.replace(/<user>[\s\S]*/, '')],
    ['gives no prompt', ''],
  ])('does not use a proposal that %s', async (_, proposal) => {
    const { prompts, notices } = await run([marked(proposal), marked(proposal), 'Done.'])
    expect(prompts).toHaveLength(3)
    expect(prompts[2]).toContain('thank you very much')
    expect(notices.join('\n')).toContain('found no better prompts')
  })

  test('does not use a proposal that loses the place of a parameter, or of the tools', async () => {
    const template = source
      .replace('temperature="0.5"', 'params="name=a.txt"')
      .replace('a.txt please', '{{name}} please')
      .replace('You summarise', '{{tools}} You summarise')
    const whole = better.replace('a.txt', '{{ name }}').replace('Summarise files', '{{tools}} Summarise files')
    for (const [proposal, used] of [
      [whole, true],
      [whole.replace('{{ name }}', 'it'), false],
      [whole.replace('{{tools}}', ''), false],
    ] as const) {
      const { prompts } = await run([marked(proposal), 'B', 'No prompt.', 'Done.'], template)
      expect(prompts.at(-1)?.includes('thank you very much')).toBe(!used)
      expect(prompts.at(-1)).toContain('Summarise a.txt')
    }
  })

  test('keeps the original where that is judged better', async () => {
    const { prompts } = await run([marked(better), 'A\nIt loses a word.', marked(better), 'B', 'Done.'])
    expect(prompts[4]).toContain('thank you very much')
  })

  test.each(['ARGOT_META_REFINE', 'OCHAT_META_REFINE'])('is switched on by %s', async name => {
    const plain = source.replace('<!-- META_REFINE -->\n', '')
    const { prompts } = await run([marked(better), 'B', 'No prompt.', 'Done.'], plain, { [name]: 'yes' })
    expect(prompts.at(-1)).toContain('in one sentence')
    expect((await run(['Done.'], plain, { [name]: 'off' })).prompts).toHaveLength(1)
    expect(
      (await run(['Done.'], plain.replace('<user>', '<user>\nRAW|<!-- META_REFINE -->|RAW'))).prompts,
    ).toHaveLength(1)
  })

  test('is a no-op that says so on the demo model', async () => {
    const { result, notices } = await run([], source, {}, 'demo')
    expect(result.status).toBe('done')
    expect(notices.join('\n')).toContain("META_REFINE: the model demo can't refine prompts")
  })
})

test('meta_refine gives a model the better of the prompts that were proposed', async () => {
  const document = '<tool name="meta_refine"/>\n\n<user>\nMake it better.\n</user>\n'
  const step = [...call('c1', 'meta_refine', { prompt: 'Do it good.' }), finish('tool-calls')]
  const { result } = await run([step, marked('Do it well.'), 'B', 'No prompt.', 'Done.'], document)
  expect(toolCalls(result.message!)[0]!.output).toBe('Do it well.')
})
