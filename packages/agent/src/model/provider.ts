import type { LanguageModelV3 } from '@ai-sdk/provider'
import { ArgotError } from '@argot/core'
import type { Model } from './model.ts'

/** A company or a server that has models: its name, its variables, and how one of its models is made. */
export interface Provider {
  /** As it is written before the colon. */
  name: string
  /** As people call it. */
  title: string
  /** The variables that may hold the key, in the order in which they are looked at. */
  keys: readonly string[]
  /** Without a key no model is made. */
  needsKey: boolean
  /** It takes reasoning back only with its own signature or item. */
  signsReasoning?: boolean
  /** The variables that may hold another address, in the order in which they are looked at. */
  addresses: readonly string[]
  /** What is used where nobody names a model. */
  defaultModel?: string
  /** Names without a provider that are this provider's. */
  names?: RegExp
  /** Of a server that needs no key: where it is, as the Chat Completions API has it. Throws `MODEL_BAD_ADDRESS`. */
  baseUrl?(address: Address | undefined): string | undefined
  createModel(id: string, setup: ProviderSetup): Promise<ProviderModel>
}

/** What the variables say about a provider. */
export interface ProviderSetup {
  key?: string
  address?: Address
  fetch?: typeof fetch
}

/** An address, and the variable that it comes from. */
export interface Address {
  text: string
  variable: string
}

/** The part of a model that its provider knows. */
export type ProviderModel = Pick<Model, 'nativeTools' | 'settings' | 'askWindow'> & { language: LanguageModelV3 }

/** Reads an address that requests can be sent to. Throws `MODEL_BAD_ADDRESS`. */
export function readAddress({ text, variable }: Address): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new ArgotError(
      'MODEL_BAD_ADDRESS',
      `${variable} is not an http or https address. Write a full one, for example http://127.0.0.1:8080/v1.`,
    )
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new ArgotError(
      'MODEL_BAD_ADDRESS',
      `${variable} has a user name, a password, a query or a fragment. Write the plain address, and put the key into its own variable.`,
    )
  }
  return url
}

/** The address without a slash at its end, as the packages of the AI SDK take it. */
export function formatAddress(url: URL): string {
  return url.href.replace(/\/+$/, '')
}
