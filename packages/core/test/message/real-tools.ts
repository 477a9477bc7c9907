/** A call of a real tool, with the shape of its real output, and its row: verb, subject, result, sources. */
export type RealTool = [name: string, input: unknown, output: unknown, row: string]

const text = (value: unknown) => ({ content: [{ type: 'text', text: JSON.stringify(value, undefined, 2) }] })
const hit = (url: string) => ({ title: 'A page', url, snippet: 'Some words of it.' })
const picture = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }

/** Coding agents: Claude Code, Cursor, Codex, Cline, Gemini CLI. */
const codingAgents: RealTool[] = [
  ['Read', { file_path: 'src/a.ts' }, 'one\ntwo\nthree', 'Read | src/a.ts | 3 lines'],
  ['Edit', { file_path: 'a.ts', old_string: 'a\nb\nc', new_string: 'a\nB\nc' }, { ok: true }, 'Edited | a.ts | +1 −1'],
  [
    'MultiEdit',
    {
      file_path: 'a.ts',
      edits: [
        { old_string: 'a', new_string: 'b\nc' },
        { old_string: 'x\ny', new_string: '' },
      ],
    },
    'Applied 2 edits to a.ts',
    'Edited | a.ts | +2 −3',
  ],
  ['Write', { file_path: 'a.md', content: 'a\nb\n' }, 'File created successfully at: a.md', 'Wrote | a.md | 2 lines'],
  ['Bash', { command: 'npm test', description: 'Run the tests' }, 'ok\n', 'Ran | npm test | ok'],
  ['Grep', { pattern: 'offset', path: 'src' }, 'Found 2 files\nsrc/a.ts\nsrc/b.ts', 'Searched | offset | 3 lines'],
  ['Glob', { pattern: '**/*.ts' }, ['a.ts', 'b.ts'], 'Found | **/*.ts | 2 items'],
  ['LS', { path: '/work' }, '- a\n- b\n', 'Listed | /work | 2 lines'],
  ['TodoWrite', { todos: [{ content: 'a' }, { content: 'b' }] }, { success: true }, 'Wrote | 2 todos'],
  [
    'WebFetch',
    { url: 'https://nodejs.org/api', prompt: 'Streams?' },
    'x'.repeat(90),
    'Fetched | https://nodejs.org/api | 1 line',
  ],
  ['NotebookEdit', { notebook_path: 'a.ipynb', new_source: 'x' }, { ok: true }, 'Edited notebook | a.ipynb'],
  ['read_file', { target_file: 'src/a.ts', should_read_entire_file: true }, 'a\nb', 'Read | src/a.ts | 2 lines'],
  ['run_terminal_cmd', { command: 'ls', is_background: false }, { exitCode: 0, output: 'a' }, 'Ran | ls | exit 0'],
  [
    'codebase_search',
    { query: 'Where is auth?', target_directories: [] },
    { results: [1, 2] },
    'Searched codebase | Where is auth? | 2 results',
  ],
  ['list_dir', { relative_workspace_path: 'src' }, 'a\nb\nc', 'Listed | src | 3 lines'],
  ['delete_file', { target_file: 'a.orig' }, { success: true }, 'Deleted | a.orig'],
  ['shell', { command: ['git', 'status'] }, { exit_code: 0, output: '' }, 'Ran | git status | exit 0'],
  [
    'apply_patch',
    { input: '*** Begin Patch\n*** Update File: src/a.ts\n@@\n-old\n+new\n+more\n*** End Patch\n' },
    'Success. Updated the following files:\nM src/a.ts\n',
    'Edited | src/a.ts | +2 −1',
  ],
  [
    'update_plan',
    { plan: [{ step: 'a' }, { step: 'b' }, { step: 'c' }] },
    'Plan updated',
    'Updated plan | Plan updated',
  ],
  ['write_to_file', { path: 'a.ts', content: 'x' }, '', 'Wrote | a.ts | 1 line'],
  [
    'replace_in_file',
    { path: 'a.ts', diff: '<<<<<<< SEARCH\na\n=======\nb\nc\n>>>>>>> REPLACE\n' },
    { ok: true },
    'Edited | a.ts | +2 −1',
  ],
  ['execute_command', { command: 'make', requires_approval: true }, 'done', 'Ran | make | done'],
  [
    'ask_followup_question',
    { question: 'Which one?' },
    'The first',
    'Asked followup question | Which one? | The first',
  ],
  ['run_shell_command', { command: 'ls', directory: 'src' }, 'a\nb', 'Ran | ls | 2 lines'],
  ['save_memory', { fact: 'Likes tea' }, { success: true, message: 'Okay' }, 'Wrote memory | Likes tea | Okay'],
  [
    'str_replace_based_edit_tool',
    { command: 'create', path: 'a.ts', file_text: 'a\nb' },
    { ok: true },
    'Edited | a.ts',
  ],
]

/** Servers of MCP: files, git, GitHub, Slack, browsers, databases, memory, time, search. */
const servers: RealTool[] = [
  ['filesystem__move_file', { source: 'a.txt', destination: 'b.txt' }, text({ ok: true }), 'Moved | a.txt → b.txt'],
  ['get_file_info', { path: 'a.txt' }, 'size: 12\ncreated: today', 'Got file info | a.txt | 2 lines'],
  [
    'git_commit',
    { repo_path: '/work', message: 'core: fix' },
    'Committed as 1a2b3c4',
    'Committed | core: fix | Committed as 1a2b3c4',
  ],
  ['git_checkout', { branch_name: 'main' }, 'Switched to main', 'Checked out | main | Switched to main'],
  ['git_log', { max_count: 3 }, 'a\nb\nc', 'git_log | 3 lines'],
  [
    'mcp__github__create_issue',
    { owner: 'acme', repo: 'app', title: 'Bug in parser' },
    text({ number: 12, html_url: 'https://github.com/acme/app/issues/12', labels: [], state: 'open' }),
    'Created issue | Bug in parser | #12 ↗',
  ],
  [
    'get_issue',
    { owner: 'acme', repo: 'app', issue_number: 12 },
    { number: 12, state: 'open', html_url: 'https://github.com/acme/app/issues/12' },
    'Got issue | acme/app #12 | #12 ↗',
  ],
  [
    'pull_request_read',
    { method: 'get_diff', owner: 'acme', repo: 'app', pullNumber: 7 },
    '@@ -1 +1 @@\n-a\n+b\n',
    'Read pull request | acme/app #7 | +1 −1',
  ],
  [
    'list_pull_requests',
    { owner: 'acme', repo: 'app' },
    [{ number: 1 }, { number: 2 }],
    'Listed pull requests | acme/app | 2 items',
  ],
  ['search_code', { q: 'addClass' }, { total_count: 7, items: [1, 2, 3] }, 'Searched code | addClass | 3 items'],
  [
    'merge_pull_request',
    { owner: 'acme', repo: 'app', pullNumber: 7 },
    { merged: true, sha: '6dcb09b' },
    'Merged pull request | acme/app #7 | merged · 6dcb09b',
  ],
  [
    'slack_post_message',
    { channel_id: 'C12', text: 'Hello' },
    { ok: true, ts: '1503435956.000247' },
    'Posted message | C12 · Hello',
  ],
  ['slack_list_channels', { limit: 100 }, { ok: true, channels: [1, 2, 3] }, 'Listed channels | 3 channels'],
  [
    'jira_create_ticket',
    { summary: 'Crash', project: 'PROJ' },
    { id: '10001', key: 'PROJ-12', self: 'https://jira.acme.org/10001' },
    'Created ticket | Crash · PROJ | PROJ-12 ↗',
  ],
  [
    'notion-search',
    { query: 'Roadmap' },
    { results: [hit('https://www.notion.so/a')], has_more: false },
    'Searched | Roadmap | 1 result | notion.so',
  ],
  [
    'browser_navigate',
    { url: 'https://a.org' },
    { content: [{ type: 'text', text: 'Navigated' }] },
    'Opened | https://a.org | Navigated',
  ],
  ['browser_click', { element: 'Submit button', ref: 'e12' }, { ok: true }, 'Clicked | Submit button'],
  [
    'browser_take_screenshot',
    { filename: 'a.png' },
    { content: [{ type: 'text', text: 'Taken' }, picture] },
    'Took screenshot | a.png | image/png',
  ],
  [
    'puppeteer_screenshot',
    { name: 'home' },
    { screenshot: 'data:image/png;base64,iVBORw0KGgo=' },
    'Captured | home | image/png',
  ],
  ['query', { sql: 'SELECT 1' }, text([{ a: 1 }, { a: 2 }]), 'Searched | SELECT 1 | 2 items'],
  [
    'create_entities',
    { entities: [{ name: 'a' }, { name: 'b' }] },
    { entities: [1, 2] },
    'Created entities | 2 entities',
  ],
  [
    'get_current_time',
    { timezone: 'Europe/Oslo' },
    text({ timezone: 'Europe/Oslo', datetime: '2026-11-18T11:00:00+01:00', is_dst: false }),
    'Got current time | Europe/Oslo',
  ],
  [
    'convert_time',
    { source_timezone: 'UTC', time: '12:00', target_timezone: 'Asia/Tokyo' },
    text({ time_difference: '+9.0h' }),
    'Converted time | UTC · 12:00 | +9.0h',
  ],
  [
    'brave_web_search',
    { query: 'reader offset', count: 6 },
    [
      hit('https://nodejs.org/a'),
      hit('https://stackoverflow.com/q/1'),
      hit('https://a.dev'),
      hit('https://nodejs.org/b'),
    ],
    'Searched web | reader offset | 4 items | nodejs.org stackoverflow.com +1',
  ],
  [
    'tavily-search',
    { query: 'Oslo' },
    { results: [hit('https://visitoslo.com/')] },
    'Searched | Oslo | 1 result | visitoslo.com',
  ],
  [
    'firecrawl_scrape',
    { url: 'https://a.org', formats: ['markdown'] },
    { success: true, data: { markdown: 'x'.repeat(99), title: 'A' } },
    'Scraped | https://a.org | A',
  ],
  ['resolve-library-id', { libraryName: 'react' }, 'react\nreact-dom', 'Resolved library id | react | 2 lines'],
  [
    'stripe_create_refund',
    { payment_intent: 'pi_12' },
    { id: 're_34', amount: 1200, currency: 'usd', status: 'succeeded' },
    'Created refund | pi_12 | re_34 · 1,200 · usd',
  ],
]

/** Examples of the AI SDK, of OpenAI and of Anthropic. */
const examples: RealTool[] = [
  [
    'getWeather',
    { location: 'Paris', unit: 'celsius' },
    { location: 'Paris', temperature: 22, condition: 'sunny' },
    'Got weather | Paris | 22° · sunny',
  ],
  [
    'weather',
    { city: 'Paris' },
    { temperature: 22, conditions: 'sunny', humidity: 40 },
    'weather | Paris | 22° · sunny · 40 %',
  ],
  [
    'book_flight',
    { from: 'LHR', to: 'JFK', date: '2026-12-01' },
    { confirmation: 'AB12CD', seat: '14C' },
    'Booked flight | LHR → JFK | AB12CD · 14C',
  ],
  ['convertFahrenheitToCelsius', { temperature: 72 }, { celsius: 22 }, 'Converted fahrenheit to celsius | 22°'],
  ['calculate', { expression: '2 * 21' }, 42, 'Calculated | 2 * 21 | 42'],
  [
    'send_email',
    { to: 'ada@acme.org', subject: 'Hello', body: 'x'.repeat(200) },
    { id: 'm_17', status: 'queued' },
    'Sent email | ada@acme.org · Hello | m_17 · queued',
  ],
  ['get_stock_price', { ticker: 'ACME' }, { price: 12.5, currency: 'USD' }, 'Got stock price | ACME | 12.5 · USD'],
  ['generate_image', { prompt: 'A fox' }, [picture], 'Generated image | A fox | image/png'],
  [
    'cancel_order',
    { order_id: 7 },
    { ok: false, error: 'Already shipped' },
    'Canceled order | 7 | failed · Already shipped',
  ],
  [
    'schedule_meeting',
    { attendee: 'Ada', date: 'Friday' },
    { event: { id: 3, link: 'https://cal.acme.org/3' } },
    'Scheduled meeting | Ada · Friday | #3 ↗',
  ],
  ['submit_feedback', { rating: 5, comment: 'Nice' }, true, 'Submitted feedback | Nice · 5 | true'],
  ['book_search', { author: 'Woolf' }, { books: [1, 2] }, 'Searched book | Woolf | 2 books'],
]

export const realTools: readonly RealTool[] = [...codingAgents, ...servers, ...examples]
