/**
 * Tests that import packages by name only, and so run on what is built as well: something done through every door.
 * `npm run test:dist` takes them; `doors.test.ts` says which door is missing.
 */
export const doorTests: readonly string[] = [
  'test/pack.test.ts',
  'test/examples.test.ts',
  'test/pages.test.ts',
  'test/site.test.ts',
  'test/public-names.test.ts',
  'packages/core/test/stream/accumulate.test.ts',
  'packages/core/test/syntax/xml.test.ts',
  'packages/core/test/syntax/markdown-chunks.test.ts',
  'packages/core/test/chatmd/fixtures.test.ts',
  'packages/core/test/convert/convert.test.ts',
  'packages/core/test/ai-sdk/to-response.test.ts',
  'packages/agent/test/loop/loop.test.ts',
  'packages/agent/test/run/output-schema.test.ts',
  'packages/agent/test/tool/define-tool.test.ts',
  'packages/agent/test/approval/approvals.test.ts',
  'packages/agent/test/store/memory-store.test.ts',
  'packages/server/test/runs.test.ts',
  'packages/server/test/guard.test.ts',
  'packages/server/test/proxy/chat-completions.test.ts',
  'packages/server/test/runs/memory-queue.test.ts',
  'packages/postgres/test/queue.test.ts',
  'packages/cli/test/run.test.ts',
  'packages/react/test/store/chat-store.test.ts',
  'packages/react/test/locales.test.ts',
]

/**
 * What the tests in the browser import. A run bundles these together; a door that is missing here would come with copies of
 * modules that are in the bundle as well.
 */
export const browserDoors: readonly string[] = [
  '@argot/react',
  '@argot/react/locales/ar',
  '@argot/core',
  '@argot/core/stream',
]
