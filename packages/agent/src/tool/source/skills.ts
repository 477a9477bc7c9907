import { dirname, join, resolve } from 'node:path'
import type { JsonSchema } from '@argot/core'
import { firstCharacters, nearestNames } from '@argot/core/stream/internal'
import type { Workspace } from '../../files/workspace.ts'
import { quoted } from '../../words/quoted.ts'
import { ToolFailure } from '../../words/tool-failure.ts'
import { plainName } from '../builtin/plain-name.ts'
import { walkFolder } from '../builtin/walk-folder.ts'
import { defineTool } from '../define-tool.ts'
import type { Tool } from '../tool.ts'
import { fixedTools } from '../tool-source.ts'
import type { DeclaredSource } from './declared-source.ts'
import { readFrontMatter } from './front-matter.ts'

const SKILL_BYTES = 256 * 1024
const MOST_SKILLS = 500
const MOST_ENTRIES = 20_000
/** A skill is at most this many folders below the declared one. */
const DEPTH = 3
const DESCRIPTION_LENGTH = 300

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    name: {
      type: 'string',
      minLength: 1,
      maxLength: 64,
      description: 'The skill to read; all skills are listed if it is left out.',
      examples: ['release-notes'],
    },
  },
  required: [],
  additionalProperties: false,
}

/** The same for one skill and for hundreds, so that the instructions don't grow with them. */
const defaultDescription =
  'Reads a skill: instructions for a kind of task, written for this project. Call it without a name once, before you begin, to see which skills there are; then read the one that fits your task and follow it.'

/** `<tool skills="skills/"/>`: the `SKILL.md` files of a folder, each read when the model asks for it. */
export const skills: DeclaredSource<'skills'> = {
  async open({ name, skills: path, description = defaultDescription, file }, { workspace, document, cwd }) {
    const folder = resolve(cwd, dirname(file ?? document ?? join(cwd, '-')), path)
    try {
      await workspace.locate(folder)
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error
      const { code, message } = error
      return { code, message, cure: 'Correct what `skills` names.', canBeLeftOut: false }
    }
    return fixedTools([skillTool({ name, description, folder, workspace })])
  },
}

interface Skill {
  name: string
  description: string
  /** As tools show it. */
  path: string
  text: string
}

interface SkillToolOptions {
  name: string
  description: string
  folder: string
  workspace: Workspace
}

function skillTool({ name, description, folder, workspace }: SkillToolOptions): Tool {
  return defineTool<{ name?: string }>({
    name,
    title: 'Read skill',
    description,
    inputSchema,
    effect: 'read',
    subject: () => ({ kind: 'path', paths: [folder], tree: true }),
    async execute({ name: skillName }, { signal }) {
      const { skills: all, notices } = await readSkills(folder, workspace, signal)
      if (skillName === undefined) return describeSkills(all, notices)
      const skill = all.find(one => one.name === skillName)
      if (skill === undefined) throw unknownSkill(skillName, all)
      const place = plainName(dirname(skill.path))
      return `The skill ${skill.name}, from ${plainName(skill.path)}. Paths in it start at ${place}.\n\n${skill.text}`
    },
  })
}

async function readSkills(
  path: string,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<{ skills: Skill[]; notices: string[] }> {
  const start = await workspace.locate(path)
  const enter = (inner: string, name: string): boolean =>
    !name.startsWith('.') && name !== 'node_modules' && inner.split('/').length <= DEPTH
  const walk = walkFolder(start, { enter, signal, limit: MOST_ENTRIES })
  const skills = new Map<string, Skill>()
  const notices: string[] = []
  for await (const { path: inner, real, link } of walk.files) {
    if (link || !/(?:^|\/)SKILL\.md$/.test(inner)) continue
    if (skills.size === MOST_SKILLS) {
      notices.push(`Only the first ${MOST_SKILLS} skills are listed.`)
      break
    }
    const shownPath = workspace.show(real)
    const skill = await readSkill(shownPath, workspace, signal)
    if (typeof skill === 'string') notices.push(skill)
    else if (skills.has(skill.name)) notices.push(`${quoted(shownPath)} is left out: its name is taken.`)
    else skills.set(skill.name, skill)
  }
  return { skills: [...skills.values()], notices: [...notices.slice(0, 20), ...walk.notices()] }
}

/** A skill, or why the file isn't one. */
async function readSkill(path: string, workspace: Workspace, signal: AbortSignal): Promise<Skill | string> {
  let source: string
  try {
    source = await workspace.read(path, SKILL_BYTES, signal)
  } catch (error) {
    if (error instanceof ToolFailure) return `${quoted(path)} is left out: ${error.message}`
    throw error
  }
  const { fields, body } = readFrontMatter(source)
  const name = fields.get('name') ?? dirname(path).replace(/^.*\//, '')
  if (!/^[A-Za-z0-9_.-]{1,64}$/.test(name))
    return `${quoted(path)} is left out: a skill's name must have 1 to 64 letters, digits, "_", "." and "-".`
  const description = (fields.get('description') ?? '').replace(/\s+/g, ' ').trim()
  return { name, description: cut(description), path, text: body.trim() }
}

function cut(text: string): string {
  return text.length > DESCRIPTION_LENGTH ? `${firstCharacters(text, DESCRIPTION_LENGTH - 1)}…` : text
}

function describeSkills(all: readonly Skill[], notices: readonly string[]): string {
  const lines = all.map(({ name, description }) => `- ${name}${description === '' ? '' : `: ${description}`}`)
  if (lines.length === 0) lines.push('There are no skills.')
  return [...lines, ...(notices.length > 0 ? [`[${notices.join(' ')}]`] : [])].join('\n')
}

function unknownSkill(name: string, all: readonly Skill[]): ToolFailure {
  const names = all.map(skill => skill.name)
  const near = nearestNames(name, names, 1)
  const hint =
    near.length > 0 ? `Did you mean ${quoted(near[0]!)}?` : 'Call the tool without a name to see which there are.'
  return new ToolFailure('TOOL_FILE_NOT_FOUND', `There is no skill ${quoted(name)}. ${hint}`)
}
