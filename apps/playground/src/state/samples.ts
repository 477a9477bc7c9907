export interface SampleReply {
  name: string
  /** Which models write like this, or what it demonstrates. */
  about: string
  text: string
  /** The syntax to read it with, if `auto` can't read it. */
  syntax?: string
}

export const sampleTools: string = `[
  {
    "name": "get_weather",
    "description": "The forecast for a city.",
    "inputSchema": {
      "type": "object",
      "properties": {
        "city": { "type": "string" },
        "days": { "type": "integer" },
        "units": { "type": "string", "enum": ["metric", "imperial"] }
      },
      "required": ["city"]
    }
  },
  {
    "name": "write_file",
    "description": "Writes a text file.",
    "inputSchema": {
      "type": "object",
      "properties": {
        "path": { "type": "string" },
        "content": { "type": "string" },
        "overwrite": { "type": "boolean" }
      },
      "required": ["path", "content"]
    }
  },
  {
    "name": "search",
    "description": "Searches files.",
    "inputSchema": {
      "type": "object",
      "properties": {
        "query": { "type": "string" },
        "paths": { "type": "array", "items": { "type": "string" } },
        "limit": { "type": "integer" }
      },
      "required": ["query"]
    }
  },
  {
    "name": "delete_file",
    "description": "Deletes a file.",
    "inputSchema": {
      "type": "object",
      "properties": { "path": { "type": "string" } },
      "required": ["path"]
    }
  }
]
`

/** One of each family, then what can go wrong. The test reads each one and compares. */
export const sampleReplies: readonly SampleReply[] = [
  {
    name: 'Hermes',
    about: 'Qwen 3, Hermes, Granite 4',
    text: `<think>
They plan a trip and need both forecasts.
</think>

I'll check both cities for the next three days.

<tool_call>
{"name": "get_weather", "arguments": {"city": "Lisbon", "days": 3}}
</tool_call>
<tool_call>
{"name": "get_weather", "arguments": {"city": "Tromsø", "days": 3, "units": "metric"}}
</tool_call>

By the way, never paste a call like this one:

\`\`\`
<tool_call>
{"name": "delete_file", "arguments": {"path": "/"}}
</tool_call>
\`\`\`
`,
  },
  {
    name: 'Qwen3-Coder',
    about: 'Qwen3-Coder, Nemotron 3, Step 3.5',
    text: `I'll add a test for the empty list first.

<tool_call>
<function=write_file>
<parameter=path>
test/sum.test.js
</parameter>
<parameter=content>
import { sum } from '../src/sum.js'

test('an empty list is "0"', () => {
  expect(sum([])).toBe(0)
})
</parameter>
<parameter=overwrite>
false
</parameter>
</function>
</tool_call>
`,
  },
  {
    name: 'DeepSeek',
    about: 'DeepSeek V3.1',
    text: `Let me look for the callers.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>search<｜tool▁sep｜>{"query": "parseOffset(", "paths": ["src", "test"], "limit": 20}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  },
  {
    name: 'gpt-oss',
    about: 'Harmony, with its channels',
    text: `<|channel|>analysis<|message|>I need the forecast before I answer.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Kyoto", "days": 5}<|call|>`,
  },
  {
    name: 'Mistral',
    about: 'Mistral, Magistral, Devstral',
    text: `[TOOL_CALLS]search[ARGS]{"query": "TODO", "limit": 5}[TOOL_CALLS]get_weather[ARGS]{"city": "Lyon"}`,
  },
  {
    name: 'Kimi',
    about: 'Kimi K2',
    text: `I'll search both folders at the same time.<|tool_calls_section_begin|><|tool_call_begin|>functions.search:0<|tool_call_argument_begin|>{"query": "timeout", "paths": ["src"]}<|tool_call_end|><|tool_call_begin|>functions.search:1<|tool_call_argument_begin|>{"query": "timeout", "paths": ["docs"]}<|tool_call_end|><|tool_calls_section_end|>`,
  },
  {
    name: 'Llama 4',
    about: 'calls written like Python',
    text: `[get_weather(city="São Paulo", days=2), search(query="umbrella", limit=3)]`,
  },
  {
    name: 'GLM',
    about: 'GLM 4.5, with keys and values in tags',
    text: `Checking the weather now.
<tool_call>get_weather
<arg_key>city</arg_key>
<arg_value>Reykjavík</arg_value>
<arg_key>days</arg_key>
<arg_value>7</arg_value>
</tool_call>
`,
  },
  {
    name: 'Caret',
    about: "Argot's shortest syntax",
    text: `I'll write that down.

^^^write_file
path: notes/today.md
content: RAW|# Today

- "quotes", \\backslashes\\ and <tags> need no escapes
|RAW
overwrite: true
^^^
`,
  },
  {
    name: 'Examples',
    about: 'never run: fences, quotes, code, lists',
    text: `You asked how I call tools. In a code block, a call is only shown:

\`\`\`xml
<tool_call>{"name": "delete_file", "arguments": {"path": "notes.md"}}</tool_call>
\`\`\`

The same goes for \`<tool_call>{"name": "delete_file", "arguments": {"path": "a"}}</tool_call>\` in a line, for a quote:

> <tool_call>{"name": "delete_file", "arguments": {"path": "b"}}</tool_call>

and for a list:

- <tool_call>{"name": "delete_file", "arguments": {"path": "c"}}</tool_call>

This one is a part of my reply, so it runs:

<tool_call>{"name": "search", "arguments": {"query": "delete_file"}}</tool_call>
`,
  },
  {
    name: 'Mistakes',
    about: 'a repair, a wrong type, a near miss',
    text: `A trailing comma leaves no doubt, so it is repaired:

<tool_call>
{"name": "search", "arguments": {"query": "offset", "limit": 5,}}
</tool_call>

"three" is no integer, so the model gets an error:

<tool_call>
{"name": "get_weather", "arguments": {"city": "Bergen", "days": "three"}}
</tool_call>

And this only looks like a call: get_weather(city="Oslo")
`,
  },
  {
    name: 'Cut off',
    about: 'a reply that ends within a call',
    text: `I'll save the report.

<tool_call>
{"name": "write_file", "arguments": {"path": "report.md", "content": "# Report\\n\\nThe first quarter was`,
  },
]
