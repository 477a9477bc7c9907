import { expect, test } from 'vitest'
import { tokenFor } from '../../src/trust/token-for.ts'

const env = {
  ARGOT_MCP_ACME: 'secret-1',
  ARGOT_MCP_: 'secret-2',
  OPENAI_API_KEY: 'secret-3',
  MY_ARGOT_MCP_X: 'secret-4',
  argot_mcp_x: 'secret-5',
  ARGOT_MCP_EMPTY: ' ',
  ARGOT_MCP_LINES: 'secret-6\r\nX-Evil: 1',
  ARGOT_MCP_NEWLINE: 'secret-7\n',
}

test('a variable called `ARGOT_MCP_…` gives its token, without a line break at the end', () => {
  expect(tokenFor({ tokenEnv: 'ARGOT_MCP_ACME', env, allowEnv: [] })).toEqual({ ok: true, token: 'secret-1' })
  expect(tokenFor({ tokenEnv: 'ARGOT_MCP_NEWLINE', env, allowEnv: [] })).toEqual({ ok: true, token: 'secret-7' })
})

test('any other variable gives it only if the user allows it by its exact name', () => {
  const tokenEnv = 'OPENAI_API_KEY'
  expect(tokenFor({ tokenEnv, env, allowEnv: ['OPENAI_API_KEY'] })).toEqual({ ok: true, token: 'secret-3' })
  for (const allowEnv of [[], ['OPENAI'], ['openai_api_key'], ['*'], ['']]) {
    expect(tokenFor({ tokenEnv, env, allowEnv })).toMatchObject({ ok: false, code: 'SETTINGS_ENV_NOT_ALLOWED' })
  }
})

test.each([
  ['OPENAI_API_KEY', 'SETTINGS_ENV_NOT_ALLOWED'],
  ['MY_ARGOT_MCP_X', 'SETTINGS_ENV_NOT_ALLOWED'],
  ['argot_mcp_x', 'SETTINGS_ENV_NOT_ALLOWED'],
  ['ARGOT_MCP_', 'SETTINGS_ENV_NOT_ALLOWED'],
  ['ARGOT_MCP_ACME\nOPENAI_API_KEY', 'SETTINGS_ENV_NOT_ALLOWED'],
  ['__proto__', 'SETTINGS_ENV_NOT_ALLOWED'],
  ['', 'SETTINGS_ENV_NOT_ALLOWED'],
  ['ARGOT_MCP_OTHER', 'SETTINGS_ENV_MISSING'],
  ['ARGOT_MCP_EMPTY', 'SETTINGS_ENV_MISSING'],
  ['ARGOT_MCP_LINES', 'SETTINGS_BAD_VALUE'],
])('%j gives no token, and the message no secret', (tokenEnv, code) => {
  const result = tokenFor({ tokenEnv, env, allowEnv: [] })
  expect(result).toMatchObject({ ok: false, code })
  expect(JSON.stringify(result)).not.toContain('secret')
})

test.each(['__proto__', 'constructor', 'toString'])(
  '%s is not found in the environment though it is allowed',
  tokenEnv => {
    expect(tokenFor({ tokenEnv, env: {}, allowEnv: [tokenEnv] })).toMatchObject({ code: 'SETTINGS_ENV_MISSING' })
  },
)
