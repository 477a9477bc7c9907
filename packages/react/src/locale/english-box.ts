import { english } from '@argot/core/stream'
import type { BoxLocale } from './box-locale.ts'
import type { FrameLocale, RunLocale } from './chat-locale.ts'
import { englishCard, plural } from './english-card.ts'

const { number } = english

/** The English words of the chat box. */
export const englishBox: BoxLocale = {
  conversation: 'Conversation',
  you: 'You',
  assistant: 'Assistant',
  role: role => role.slice(0, 1).toUpperCase() + role.slice(1),
  empty: 'No messages yet',
  emptyHint: 'Type a message to get started',
  latest: 'Latest',
  latestNeedsYou: 'Latest · needs you',
  placeholder: 'Write a message',
  placeholderRunning: 'Write the next message',
  placeholderDenies: 'Say what to do instead',
  placeholderAnswers: 'Answer the question',
  composer: 'Message',
  send: 'Send',
  queue: 'Queue',
  deny: 'Deny with message',
  stop: 'Stop',
  escapeAgain: 'Press Esc again to stop',
  sendKey: withControl => (withControl ? 'Ctrl Enter' : 'Enter'),
  hintQueues: key => `${key} queues`,
  hintSteers: key => `${key} queues · Alt ${key} steers`,
  steer: 'Steer',
  steering: 'Joins at the next step',
  hintDenies: (key, count) => `${key} denies ${count === 1 ? 'it' : `all ${count}`} with this text`,
  attach: 'Attach files',
  removeFile: name => `Remove ${name}`,
  tooManyFiles: most => `A message takes at most ${most} files.`,
  tooLargeFile: (name, bytes) =>
    `${name} is too large: the files of a message have at most ${Math.round(bytes / 1e6)}\u00a0MB.`,
  dropFiles: 'Drop files to attach them',
  queued: 'Sent when this run is over',
  editQueued: text => `Edit “${short(text)}”`,
  sendNow: text => `Send “${short(text)}” now`,
  removeQueued: text => `Remove “${short(text)}”`,
  needYou: count => `${count} ${count === 1 ? 'call needs' : 'calls need'} you`,
  review: 'Review',
  reviewTitle: count => `${count} ${count === 1 ? 'call needs' : 'calls need'} you`,
  approveAll: count => (count === 1 ? 'Approve' : `Approve all ${count}`),
  close: 'Close',
  lost: 'Connection lost.',
  runGoesOn: seconds => `The run goes on. Trying again in ${seconds}\u00a0s`,
  serverGone: time => `The server is not answering. What you see is up to ${time}.`,
  loading: 'Loading the conversation',
  loadingOlder: 'Loading older messages…',
  showOlder: 'Show older messages',
  tryNow: 'Try now',
  failed: 'The run failed.',
  retry: 'Retry',
  copyDetails: 'Copy details',
  details: 'the details',
  continueRun: 'Continue',
  find: 'Find in the conversation',
  findHere: 'Find in this',
  findNext: 'Next match',
  findPrevious: 'Previous match',
  found: (at, count) => (count === 0 ? 'No matches' : `${at} of ${count}`),
  copyConversation: 'Copy conversation',
  editMessage: 'Edit',
  editing: 'Editing an earlier message. Sending it makes a new document; this one is kept.',
  editingHere: 'Editing an earlier message. Sending it replaces the message and everything after it.',
  cancelEdit: 'Cancel',
  tryAgain: 'Try again',
  branch: (at, count) => `Answer ${number(at)} of ${number(count)}`,
  branchPlace: (at, count) => `${number(at)}/${number(count)}`,
  previousBranch: 'Previous answer',
  nextBranch: 'Next answer',
  file: name => `File ${name}`,
  source: 'Source',
  notice: 'Argot noticed',
  correction: text => `Argot to the model: ${text}`,
  summary: replaces => `Turns 1–${replaces} are summarised for the model`,
  announce: {
    started: 'Response started',
    asks: call => `${call}: needs your approval`,
    question: question => (question === undefined ? 'A question for you' : `A question for you: ${question}`),
    complete: 'Response complete',
    stopped: 'Response stopped',
    runFailed: 'Response failed',
    waiting: 'Response waits for you',
  },
  titleMark: '● Needs you – ',
}

function short(text: string): string {
  return text.length > 40 ? `${text.slice(0, 39)}…` : text
}

/** The English words of the line about a run. */
export const englishRun: RunLocale = {
  working: duration => (duration === undefined ? 'Working' : `Working for ${duration}`),
  lastSeen: duration => (duration === undefined ? 'Working, no news since' : `Working, last seen at ${duration}`),
  worked: duration => (duration === undefined ? 'Worked' : `Worked ${duration}`),
  stopped: duration => (duration === undefined ? 'Stopped' : `Stopped after ${duration}`),
  waited: duration => `waited ${duration} for you`,
  notch: duration => `you · ${duration}`,
  calls: count => plural(count, 'call', 'calls'),
  failed: count => `${number(count)} failed`,
  needYou: count => `${number(count)} ${count === 1 ? 'needs' : 'need'} you`,
  filesChanged: count => `${plural(count, 'file', 'files')} changed`,
  openAll: 'Open all',
}

/** The English words of the box around the parts. */
export const englishFrame: FrameLocale = { ...englishCard, run: englishRun, box: englishBox }
