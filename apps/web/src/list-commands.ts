import type { RunResource } from '@argot/server/api'
import type { Command } from './documents/commands.ts'
import { control } from './frame/caps.tsx'
import { copyLink } from './frame/copy-link.ts'
import type { NotificationSetting } from './frame/notifications.tsx'
import { type ConversationCall, focusedCall, goToCall, openCalls } from './frame/open-conversation.ts'
import type { Theme } from './frame/theme.ts'
import { inboxHref } from './frame/use-route.ts'
import { words } from './locale/words.ts'
import { api } from './server/api.ts'

interface CommandFacts {
  run: RunResource | undefined
  call: ConversationCall | undefined
  isTalking: boolean
  isSourceOpen: boolean
  waiting: number
  documentActions: readonly Command[]
  makeNew: () => void | Promise<void>
  toggleSource: () => void
  toggleSide: () => void
  showKeys: () => void
}

/** The commands available now. None approves a call: it only goes to the question, which shows what would run. */
export function listCommands(facts: CommandFacts): Command[] {
  const { run, call, isTalking, waiting } = facts
  const { palette, documents, keys } = words()
  const isOn = run !== undefined && (run.state === 'running' || run.state === 'queued')
  const waitingCall = run?.pending[0]
  const question = openCalls().find(
    ({ key }) => waitingCall !== undefined && key.endsWith(`/${waitingCall.toolCallId}`),
  )
  return [
    ...(isTalking && question !== undefined
      ? [
          {
            key: 'question',
            label: palette.question,
            keys: `${control} Shift Enter`,
            act: () => goToCall(question),
          },
        ]
      : []),
    ...(waiting > 0 ? [{ key: 'inbox', label: palette.inbox, act: () => void (location.hash = inboxHref) }] : []),
    ...(isOn ? [{ key: 'stop', label: palette.stop, keys: 'Esc Esc', act: () => api.stop(run.id) }] : []),
    ...(call !== undefined
      ? [{ key: 'link', label: palette.link(call.label), keys: 'Alt L', act: copyFocusedLink(call) }]
      : []),
    { key: 'new', label: documents.new, act: facts.makeNew },
    ...facts.documentActions,
    ...(isTalking
      ? [
          {
            key: 'source',
            label: facts.isSourceOpen ? palette.hideSource : palette.showSource,
            act: facts.toggleSource,
          },
        ]
      : []),
    { key: 'side', label: palette.side, keys: `${control} B`, act: facts.toggleSide },
    { key: 'keys', label: keys.title, keys: '?', act: facts.showKeys },
  ]
}

/** Copies a link to a call; rejects if there is none. */
export function copyFocusedLink(call = focusedCall()): () => Promise<void> {
  return async () => {
    if (call === undefined) throw new Error(words().moments.noCall)
    if (call.href === undefined) throw new Error(words().moments.noRun)
    await copyLink(call.href)
  }
}

interface SettingFacts {
  theme: Theme
  setTheme: (theme: Theme) => void
  notifying: NotificationSetting
  enterIsNewLine: boolean
  setEnterIsNewLine: (is: boolean) => void
}

export function listSettings(facts: SettingFacts): Command[] {
  const { theme, setTheme, enterIsNewLine, setEnterIsNewLine } = facts
  const { isOn, set } = facts.notifying
  const { palette, keys, inbox } = words()
  const themes: readonly Theme[] = ['system', 'light', 'dark']
  return [
    ...themes
      .filter(name => name !== theme)
      .map(name => ({ key: `theme ${name}`, label: palette.themes[name], act: () => setTheme(name) })),
    {
      key: 'enter',
      label: enterIsNewLine ? palette.enterSends : keys.enterIsNewLine(control),
      act: () => setEnterIsNewLine(!enterIsNewLine),
    },
    ...(set === undefined
      ? []
      : [
          {
            key: 'notify',
            label: isOn ? palette.notificationsOff : inbox.notify,
            act: () => set(!isOn),
          },
        ]),
  ]
}
