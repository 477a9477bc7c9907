import type { Command } from 'commander'
import type { Io } from '../io/io.ts'

/** Gives a command, which has its name and arguments already, its options and what it does. */
export type CompleteCommand = (command: Command, io: Io, done: (status: number) => void) => void

/** What the list of commands shows of one; the rest of it is loaded when it is used. */
export interface CommandEntry {
  name: string
  description: string
  /** The description of each argument. */
  arguments: Readonly<Record<string, string>>
  /** Its environment gets the keys of `argot keys`. True for every command that uses models. */
  usesKeys?: true
  /** The words that an argument can be, for completion. */
  completes?: Readonly<Record<string, readonly string[]>>
  load(): Promise<CompleteCommand>
}
