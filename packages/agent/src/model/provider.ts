import type { LanguageModelV3 } from '@ai-sdk/provider'
import { ArgotError } from '@argot/core'
import type { Model } from './model.ts'

/** A company or a server that has models: its name, its variables, and how to create one of its models. */
export interface Provider {
  /** The word before the colon in a model name. */
  name: string
  title: string
  /** The variables that may hold the key, in order of precedence. */
  keys: readonly string[]
  needsKey: boolean
  /** It takes reasoning back only with its own signature or item. */
  signsReasoning?: boolean
  /** The variables that may hold another address, in order of precedence. */
  addresses: readonly string[]
  /** Used if no model is named. */
  defaultModel?: string
  /** Matches names without a provider that belong to this one. */
  names?: RegExp
  /** For a server that needs no key: its Chat Completions address. Throws `MODEL_BAD_ADDRESS`. */
  baseUrl?(address: Address | undefined): string | undefined
  createModel(id: string, setup: ProviderSetup): Promise<ProviderModel>
}

export interface ProviderSetup {
  key?: string
  address?: Address
  fetch?: typeof fetch
}

export interface Address {
  text: string
  variable: string
}

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
      `${variable} has a user name, a password, a query or a fragment. Use the plain address, and put the key in its own variable.`,
    )
  }
  return url
}

/** The address without a trailing slash, as the AI SDK's packages expect it. */
export function formatAddress(url: URL): string {
  return url.href.replace(/\/+$/, '')
}
