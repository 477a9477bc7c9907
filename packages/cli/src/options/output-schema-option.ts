import type { RunOptions } from '@argot/agent'
import type { Command } from 'commander'
import { UsageError } from '../io/io.ts'
import { readJsonFile } from './read-json-file.ts'

export interface OutputSchemaFlags {
  outputSchema?: string
}

export function addOutputSchemaOption(command: Command): Command {
  return command.option(
    '--output-schema <file>',
    'require a JSON answer that matches this JSON Schema; after one retry, the command fails',
  )
}

export async function readOutputSchema({ outputSchema }: OutputSchemaFlags): Promise<Pick<RunOptions, 'outputSchema'>> {
  if (outputSchema === undefined) return {}
  const schema = await readJsonFile(outputSchema)
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    throw new UsageError(`${outputSchema} is not a JSON Schema, because it is not an object.`)
  return { outputSchema: schema as RunOptions['outputSchema'] }
}
