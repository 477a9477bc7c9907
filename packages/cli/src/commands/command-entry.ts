import type { Command } from 'commander'
import type { Io } from '../io/io.ts'

/** Adds the options and the action to a command that already has its name and arguments. */
export type CompleteCommand = (command: Command, io: Io, done: (status: number) => void) => void

/** The entry in the list of commands. The rest is loaded when the command is used. */
export interface CommandEntry {
  name: string
  description: string
  arguments: Readonly<Record<string, string>>
  /** The command's environment includes the keys stored by `argot keys`. True for every command that uses models. */
  usesKeys?: true
  completes?: Readonly<Record<string, readonly string[]>>
  load(): Promise<CompleteCommand>
}
