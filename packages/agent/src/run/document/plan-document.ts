import type { ArgotError, Diagnostic } from '@argot/core'
import { expand } from '@argot/core/chatmd'
import type { ExpandedDocument } from '@argot/core/chatmd/internal'
import { effectivePolicy } from '../../approval/effective-policy.ts'
import { RuleBook } from '../../approval/rule-book.ts'
import { stricter } from '../../approval/stricter-policy.ts'
import { type Budget, planBudget, type Talk } from '../../loop/plan.ts'
import { createFileFetcher, type FetchFile } from '../../resolver/create-file-fetcher.ts'
import { collectRules } from '../../settings/collect-rules.ts'
import { resolveMaxSteps } from '../../settings/resolve-settings.ts'
import { quoted } from '../../words/quoted.ts'
import type { ChangedSource } from '../agents/frozen-sources.ts'
import type { SubAgents } from '../agents/sub-agents.ts'
import { chooseTalk } from './choose-talk.ts'
import type { DocumentOptions } from './document-options.ts'
import { type DocumentReading, type DocumentSource, readDocument, refuseErrors } from './read-document.ts'

/** A document with everything that a run of it needs, before anything starts. Checks and previews show it. */
export interface DocumentPlan extends DocumentReading {
  talk: Talk
  rules: RuleBook
  budget: Budget
  /** What a person should know about the rules and the model. */
  notices: string[]
  /** Undefined if no agents run. */
  subAgents: SubAgents | undefined
  fetchFile: FetchFile
  isOnlyListed(problem: Pick<Diagnostic, 'code'>): boolean
  /** The document with its agents' answers. Asks agents without a known answer. Throws if one fails. */
  askAgents(): Promise<ExpandedDocument>
  changedSources(): Promise<ChangedSource[]>
}

/**
 * Reads, checks and expands a document, and finds its model, syntax, rules and limits. Throws if it can't run. A
 * listing passes `onMissingModel`: if there is no model, it is called, and the plan gets a stand-in.
 */
export async function planDocument(
  source: DocumentSource,
  options: DocumentOptions,
  onMissingModel?: (problem: ArgotError) => void,
): Promise<DocumentPlan> {
  const reading = await readDocument(source, options)
  // A listing shows all tools, together with problems about unknown tools and agents that couldn't run.
  const isOnlyListed = ({ code }: Pick<Diagnostic, 'code'>): boolean =>
    options.listOnly === true && (code === 'TOOL_UNKNOWN' || code === 'CHATMD_AGENT_FAILED')
  refuseErrors(reading.problems.filter(one => !isOnlyListed(one)))
  const { document, expanded, settings, resolver, directory, answer } = reading
  const { config } = expanded
  const { rules, notices } = decideRules(reading, options)
  const subAgents = options.createSubAgents?.(rules.policy, rules.strictPart)
  const { remote = false } = options
  const { talk, problem } = await chooseTalk({ config, settings, answer, directory, remote }, options)
  if (problem !== undefined) {
    if (onMissingModel === undefined || !problem.code.startsWith('MODEL_')) throw problem
    onMissingModel(problem)
  }
  const maxSteps = resolveMaxSteps({ flag: options.maxSteps, document: config?.maxSteps, settings }).value
  return {
    ...reading,
    talk,
    rules,
    budget: planBudget({ ...options, maxSteps }),
    notices: [...notices, talk.model.notice].filter(text => text !== undefined),
    subAgents,
    fetchFile: createFileFetcher(reading.resolverOptions),
    isOnlyListed,
    async askAgents() {
      const isPending = expanded.messages.some(({ pieces }) => pieces.some(({ origin }) => origin.pending === true))
      if (!isPending || subAgents === undefined) return expanded
      const expansion = await expand(document, { ...reading.expandOptions, runAgent: subAgents.run })
      refuseErrors(expansion.diagnostics)
      return expansion
    },
    changedSources: async () => (await options.frozen?.changes(resolver, document.file, reading.params?.byName)) ?? [],
  }
}

/** The policy and the rules: from the options and the settings, plus the restrictions of the outer documents. */
function decideRules(
  { settings, roots }: DocumentReading,
  { approve, approveAtMost, rules: flag, strict, env = process.env }: DocumentOptions,
): { rules: RuleBook; notices: (string | undefined)[] } {
  const { policy: requested, notice } = effectivePolicy({ flag: approve, ...settings.approve })
  const policy = approveAtMost === undefined ? requested : stricter(requested, approveAtMost)
  const collected = collectRules({ flag, settings: settings.rules })
  const { project } = settings.approve
  const projects = [
    ...(strict?.projects ?? []),
    ...(project === undefined ? [] : [{ value: project.value, from: `\`approve\` in ${quoted(project.from)}` }]),
    ...(approveAtMost === undefined ? [] : [{ value: approveAtMost, from: 'the mode this run started with' }]),
  ]
  const all = [...(strict?.rules ?? []), ...collected.rules]
  const rules = new RuleBook({ policy, projects, rules: all, roots, path: env.PATH })
  return { rules, notices: [notice, collected.notice] }
}
