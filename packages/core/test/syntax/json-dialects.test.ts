import type { ToolDefinition } from '@argot/core'
import { dialectFor } from '@argot/core/syntax'
import { expect, test } from 'vitest'
import { type DialectCase, testDialect, testForms } from './dialect-cases.ts'

/** Dialects of JSON between marks: what each is read from, and the laws. */

const tools: ToolDefinition[] = [
  { name: 'f', inputSchema: { type: 'object', properties: { a: { type: 'string' }, n: { type: 'integer' } } } },
]

const cases: DialectCase[] = [
  {
    name: 'deepseek-v3',
    one: [
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{"a": "x", "n": 1}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
      'So.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{"a": "x", "n": 1}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    ],
    two: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{"a": "x"}\n```<｜tool▁call▁end｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{"a": "y"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    conformance: { decidedBy: '}', livesIn: { 'list item': 'its own fence never closes there', footnote: 'the same' } },
  },
  {
    name: 'deepseek-v3.1',
    one: [
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{"a": "x", "n": 1}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
      '<｜tool▁call▁begin｜>f<｜tool▁sep｜>{"a": "x", "n": 1}<｜tool▁call▁end｜>',
    ],
    two: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{"a": "x"}<｜tool▁call▁end｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{"a": "y"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    conformance: { decidedBy: '}' },
  },
  {
    name: 'kimi-k2',
    one: [
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"a": "x", "n": 1}<|tool_call_end|><|tool_calls_section_end|>',
      '<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"a": "x", "n": 1}',
    ],
    two: '<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"a": "x"}<|tool_call_end|><|tool_call_begin|>functions.f:1<|tool_call_argument_begin|>{"a": "y"}<|tool_call_end|><|tool_calls_section_end|>',
    conformance: { decidedBy: '}' },
  },
  {
    name: 'cohere-r7b',
    one: [
      '<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "f", "parameters": {"a": "x", "n": 1}}\n]<|END_ACTION|>',
    ],
    two: '<|START_ACTION|>[{"tool_name": "f", "parameters": {"a": "x"}}, {"tool_name": "f", "parameters": {"a": "y"}}]<|END_ACTION|>',
    conformance: { decidedBy: '}' },
  },
  {
    name: 'cohere-r',
    one: ['Action: ```json\n[{"tool_call_id": "0", "tool_name": "f", "parameters": {"a": "x", "n": 1}}]\n```'],
    conformance: { decidedBy: '}', livesIn: { 'list item': 'its own fence never closes there', footnote: 'the same' } },
  },
  {
    name: 'nemotron-v2',
    one: ['<TOOLCALL>[{"name": "f", "arguments": {"a": "x", "n": 1}}]</TOOLCALL>'],
    two: '<TOOLCALL>[{"name": "f", "arguments": {"a": "x"}}, {"name": "f", "arguments": {"a": "y"}}]</TOOLCALL>',
    conformance: { decidedBy: '}' },
  },
  {
    name: 'jamba',
    one: [
      '<tool_calls>\n{"name": "f", "arguments": {"a": "x", "n": 1}}\n</tool_calls>',
      '<tool_calls>[{"name": "f", "arguments": {"a": "x", "n": 1}}]</tool_calls>',
    ],
    two: '<tool_calls>[{"name": "f", "arguments": {"a": "x"}}, {"name": "f", "arguments": {"a": "y"}}]</tool_calls>',
    conformance: { decidedBy: '}' },
  },
  {
    name: 'granite',
    one: ['<|tool_call|>[{"name": "f", "arguments": {"a": "x", "n": 1}}]'],
    two: '<|tool_call|>[{"name": "f", "arguments": {"a": "x"}}, {"name": "f", "arguments": {"a": "y"}}]',
    conformance: { decidedBy: '}' },
  },
  {
    name: 'phi4',
    one: ['functools[{"name": "f", "arguments": {"a": "x", "n": 1}}]'],
    two: 'functools[{"name": "f", "arguments": {"a": "x"}}, {"name": "f", "arguments": {"a": "y"}}]',
    conformance: { decidedBy: '}' },
  },
  {
    name: 'granite-20b',
    one: ['<function_call> {"name": "f", "arguments": {"a": "x", "n": 1}}'],
    two: '<function_call> {"name": "f", "arguments": {"a": "x"}}\n<function_call> {"name": "f", "arguments": {"a": "y"}}',
    conformance: { decidedBy: '}' },
  },
  {
    name: 'internlm',
    one: ['<|action_start|><|plugin|>\n{"name": "f", "arguments": {"a": "x", "n": 1}}<|action_end|>'],
    two: '<|action_start|><|plugin|>\n{"name": "f", "arguments": {"a": "x"}}<|action_end|>\n<|action_start|><|plugin|>\n{"name": "f", "arguments": {"a": "y"}}<|action_end|>',
    conformance: { decidedBy: '}' },
  },
  {
    name: 'longcat',
    one: ['<longcat_tool_call>{"name": "f", "arguments": {"a": "x", "n": 1}}</longcat_tool_call>'],
    two: '<longcat_tool_call>{"name": "f", "arguments": {"a": "x"}}</longcat_tool_call>\n<longcat_tool_call>{"name": "f", "arguments": {"a": "y"}}</longcat_tool_call>',
    conformance: { decidedBy: '}' },
  },
  {
    name: 'solar-open',
    one: [
      '<|tool_calls|><|tool_call:begin|>a1b2<|tool_call:name|>f<|tool_call:args|>{"a": "x", "n": 1}<|tool_call:end|>',
      '<|think|>Hm.<|end|><|begin|>assistant<|tool_calls|><|tool_call:begin|><|tool_call:name|>f<|tool_call:args|>{"a": "x", "n": 1}<|tool_call:end|><|calls|>',
    ],
    two: '<|tool_calls|><|tool_call:begin|>0<|tool_call:name|>f<|tool_call:args|>{"a": "x"}<|tool_call:end|><|tool_call:begin|>1<|tool_call:name|>f<|tool_call:args|>{"a": "y"}<|tool_call:end|>',
    conformance: { decidedBy: '}' },
  },
  {
    name: 'inkling',
    one: [
      '<|message_model|>f<|content_invoke_tool_json|>{"name": "f", "args": {"a": "x", "n": 1}}<|end_message|>',
      '<|content_thinking|>Hm.<|end_message|><|message_model|><|content_invoke_tool_json|>{"name":"f","args":{"a":"x","n":1}}<|end_message|><|content_model_end_sampling|>',
      '<|content_invoke_tool_text|>{"name": "f", "args": {"a": "x", "n": 1}}<|content_model_end_sampling|>',
    ],
    two: '<|message_model|>f<|content_invoke_tool_json|>{"name": "f", "args": {"a": "x"}}<|end_message|><|message_model|>f<|content_invoke_tool_json|>{"name": "f", "args": {"a": "y"}}<|end_message|>',
    conformance: { decidedBy: '}' },
  },
  {
    name: 'gigachat3',
    one: [
      '<|function_call|>{"name": "f", "arguments": {"a": "x", "n": 1}}',
      'Yes.<|message_sep|>\n\nfunction call<|role_sep|>\n{"name": "f", "arguments": {"a": "x", "n": 1}}</s>',
    ],
    two: '<|function_call|>{"name": "f", "arguments": {"a": "x"}}\n<|function_call|>{"name": "f", "arguments": {"a": "y"}}',
    conformance: { decidedBy: '}' },
  },
  {
    name: 'ernie',
    one: ['<tool_call>\n{"name": "f", "arguments": {"a": "x", "n": 1}}\n</tool_call>'],
    two: '<tool_call>\n{"name": "f", "arguments": {"a": "x"}}\n</tool_call>\n<tool_call>\n{"name": "f", "arguments": {"a": "y"}}\n</tool_call>',
    conformance: { decidedBy: '}' },
  },
  {
    name: 'llama3',
    one: [
      '<|python_tag|>{"name": "f", "arguments": {"a": "x", "n": 1}}',
      '{"name": "f", "arguments": {"a": "x", "n": 1}}',
    ],
    two: '<|python_tag|>{"name": "f", "arguments": {"a": "x"}}; {"name": "f", "arguments": {"a": "y"}}',
    conformance: { decidedBy: '}' },
  },
  {
    name: 'apertus',
    one: ['<|tools_prefix|>[{"f": {"a": "x", "n": 1}}]<|tools_suffix|>'],
    two: '<|tools_prefix|>[{"f": {"a": "x"}}, {"f": {"a": "y"}}]<|tools_suffix|>',
    conformance: { decidedBy: '}' },
  },
  {
    name: 'functionary-v3.1',
    one: ['<function=f>{"a": "x", "n": 1}</function>'],
    two: '<function=f>{"a": "x"}</function><function=f>{"a": "y"}</function>',
    conformance: { decidedBy: '}' },
  },
  {
    name: 'functionary-v3.2',
    one: ['>>>f\n{"a": "x", "n": 1}', 'all\nSo.\n>>>f\n{"a": "x", "n": 1}'],
    two: '>>>f\n{"a": "x"}\n>>>f\n{"a": "y"}',
    conformance: { decidedBy: '}' },
  },
  {
    name: 'harmony',
    one: [
      '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a": "x", "n": 1}<|call|>',
      '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a": "x", "n": 1}',
      '<|channel|>analysis<|message|>Use <|channel|>x.<|end|><|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a": "x", "n": 1}',
      '<|start|>assistant to=functions.f<|channel|>commentary json<|message|>{"a": "x", "n": 1}',
    ],
    two: '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a": "x"}<|call|><|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a": "y"}<|call|>',
    conformance: { decidedBy: '}' },
  },
  {
    name: 'xlam',
    one: [
      '[{"name": "f", "arguments": {"a": "x", "n": 1}}]',
      '```json\n[{"name": "f", "arguments": {"a": "x", "n": 1}}]\n```',
      'So.<tool_call>[{"name": "f", "arguments": {"a": "x", "n": 1}}]</tool_call>',
    ],
    two: '[{"name": "f", "arguments": {"a": "x"}}, {"name": "f", "arguments": {"a": "y"}}]',
    conformance: { decidedBy: '}' },
  },
  {
    name: 'qwen2.5-coder',
    one: [
      '<tools>\n{"name": "f", "arguments": {"a": "x", "n": 1}}\n</tools>',
      '```json\n{"name": "f", "arguments": {"a": "x", "n": 1}}\n```',
      '{"name": "f", "arguments": {"a": "x", "n": 1}}',
    ],
    two: '<tools>{"name": "f", "arguments": {"a": "x"}}</tools><tools>{"name": "f", "arguments": {"a": "y"}}</tools>',
    conformance: { decidedBy: '}' },
  },
]

testForms(cases, tools)
for (const dialect of cases) testDialect(dialect)

test.each([
  ['qwen3-coder-30b', 'qwen3-coder'],
  ['Qwen/Qwen3-Coder-480B-A35B-Instruct', 'qwen3-coder'],
  ['ollama:qwen3:8b', 'hermes'],
  ['deepseek-ai/DeepSeek-V3.1', 'deepseek-v3.1'],
  ['deepseek-r1', 'deepseek-v3'],
  ['moonshotai/Kimi-K2-Instruct', 'kimi-k2'],
  ['openai/gpt-oss-120b', 'harmony'],
  ['meta-llama/Llama-3.3-70B-Instruct', 'llama3'],
  ['llama-4-scout', 'pythonic'],
  ['zai-org/GLM-4.6', 'glm'],
  ['mistral-small-3.2', 'mistral'],
  ['gpt-5', undefined],
  ['XiaomiMiMo/MiMo-V2-Flash', 'qwen3-coder'],
  ['MiMo-7B-RL', 'hermes'],
  ['MiniMaxAI/MiniMax-M1-80k', 'jamba'],
  ['MiniMax-M2', 'minimax-m2'],
  ['poolside/Laguna-M', 'glm'],
  ['inclusionAI/Ling-3.0-flash', 'glm'],
  ['inclusionAI/Ring-2.5-1T', 'glm'],
  ['arcee-ai/Trinity-Mini', 'hermes'],
  ['LGAI-EXAONE/EXAONE-4.0-32B', 'hermes'],
  ['RekaAI/reka-flash-3', 'hermes'],
  ['internlm/Intern-S1', 'internlm'],
  ['upstage/Solar-Open-100B', 'solar-open'],
  ['thinkingmachines/Inkling', 'inkling'],
  ['stepfun-ai/Step-3.7-Flash', 'qwen3-coder'],
  ['stepfun-ai/step3', 'step3'],
])('a model %s writes %s', (model, name) => {
  expect(dialectFor(model)?.name).toBe(name)
})
