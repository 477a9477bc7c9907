import { argotMetadata } from '@argot/core/stream'
import { auto, dialectFor, parse } from '@argot/core/syntax'

const tools = [
  {
    name: 'weather',
    inputSchema: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } } },
  },
]

// What four models said of which nothing is known. `auto` reads all dialects at once.
const replies = [
  '<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo", "days": 2}}\n</tool_call>',
  'I look.\n<function=weather>\n<parameter=city>\nOslo\n</parameter>\n</function>',
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.weather:0<|tool_call_argument_begin|>{"city": "Oslo"}<|tool_call_end|><|tool_calls_section_end|>',
  '[weather(city="Oslo", days=2)]',
]
for (const reply of replies) {
  for (const chunk of parse(auto, reply, { tools })) {
    if (chunk.type === 'tool-input-available') {
      console.log(argotMetadata(chunk)?.dialect, chunk.toolName, JSON.stringify(chunk.input))
    }
  }
}

// The name of a known model tells its dialect.
for (const model of ['Qwen/Qwen3-Coder-30B-A3B-Instruct', 'moonshotai/Kimi-K2-Instruct', 'my-own-model']) {
  console.log(model, '→', dialectFor(model)?.name ?? 'auto')
}
