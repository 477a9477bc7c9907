import type { Dialect } from '../generators/dialect.ts'
import { taggedDialect } from '../generators/tagged-dialect.ts'
import { think } from './keys.ts'
import { taggedLesson } from './lessons.ts'

const response = ['<tool_response name="{name}" id="{id}" status="{status}">', '</tool_response>'] as const
const results = 'between <tool_response> and </tool_response>'
const markPair = (open: string, close: string) =>
  `A value that contains its closing tag goes into marked tags: ${open} and ${close}.`
const functionForms = {
  open: ['<function={name}>', '<function=\n{name}\n>', '<function name="\n{name}\n">'],
  close: '</function>',
}
const parameterForms = {
  open: ['<parameter={name}>', '<parameter=\n{name}\n>', '<parameter name="\n{name}\n">'],
  close: '</parameter>',
}

/** Seed-OSS: tags with names after an equals sign, in its own wrapper. */
export const seedOss: Dialect = taggedDialect({
  name: 'seed-oss',
  wrapper: { open: '<seed:tool_call>', close: '</seed:tool_call>' },
  call: functionForms,
  parameter: parameterForms,
  inline: true,
  reasoning: [...think, { open: '<seed:think>', close: '</seed:think>' }],
  silent: ['<seed:eos>'],
  stop: ['<seed:eos>'],
  result: response,
  lesson: taggedLesson(
    '<seed:tool_call>\n<function=NAME>\n<parameter=PARAMETER>value</parameter>\n</function>\n</seed:tool_call>',
    markPair('<parameter=PARAMETER#1>', '</parameter#1>'),
    results,
  ),
})

/** `invoke` in its own wrapper, with the token that ends a reply. */
function invokeIn(name: string, wrapper: string, end: string): Dialect {
  return taggedDialect({
    name,
    wrapper: { open: `<${wrapper}>`, close: `</${wrapper}>` },
    call: { open: ['<invoke name="{name}">', '<invoke name={name}>'], close: '</invoke>' },
    parameter: { open: ['<parameter name="{name}">', '<parameter name={name}>'], close: '</parameter>' },
    inline: true,
    reasoning: think,
    silent: [end],
    stop: [end],
    result: response,
    lesson: taggedLesson(
      `<${wrapper}>\n<invoke name="NAME">\n<parameter name="PARAMETER">value</parameter>\n</invoke>\n</${wrapper}>`,
      markPair('<parameter name="PARAMETER#1">', '</parameter#1>'),
      results,
    ),
  })
}

export const minimaxM2: Dialect = invokeIn('minimax-m2', 'minimax:tool_call', '[e~[')

export const dots: Dialect = invokeIn('dots', 'dots_function_call', '<|endofresponse|>')

/**
 * GLM 4.5 to 4.7: the name, then keys and values in tags.
 *
 *     <tool_call>read_file
 *     <arg_key>path</arg_key>
 *     <arg_value>src/lib.rs</arg_value>
 *     </tool_call>
 */
export const glm: Dialect = taggedDialect({
  name: 'glm',
  certain: true,
  call: { open: ['<tool_call>\n{name}', '<tool_call>\n{name}\n<tool_sep>'], close: '</tool_call>' },
  parameter: { open: '<arg_key>\n{name}\n</arg_key>\n<arg_value>', close: '</arg_value>' },
  inline: true,
  reasoning: think,
  silent: ['<|observation|>', '<|user|>', '<|endoftext|>'],
  stop: ['<|observation|>'],
  result: response,
  lesson: taggedLesson(
    '<tool_call>NAME\n<arg_key>PARAMETER</arg_key>\n<arg_value>value</arg_value>\n</tool_call>',
    markPair('<arg_key>PARAMETER#1</arg_key> with <arg_value>', '</arg_value#1>'),
    results,
  ),
})

/** The tokenizer that ships with Hunyuan V3 appends this to each tag. */
const hySuffix = ':opensource'

/** Hunyuan V3: like GLM, with a separator after the name and a wrapper around all calls. */
export const hyv3: Dialect = taggedDialect({
  name: 'hyv3',
  wrapper: {
    open: ['<tool_calls>', `<tool_calls${hySuffix}>`],
    close: ['</tool_calls>', `</tool_calls${hySuffix}>`],
  },
  call: {
    open: ['<tool_call>\n{name}\n<tool_sep>', `<tool_call${hySuffix}>\n{name}\n<tool_sep${hySuffix}>`],
    close: ['</tool_call>', `</tool_call${hySuffix}>`],
  },
  parameter: ['', hySuffix].map(suffix => ({
    open: `<arg_key${suffix}>\n{name}\n</arg_key${suffix}>\n<arg_value${suffix}>`,
    close: `</arg_value${suffix}>`,
  })),
  inline: true,
  reasoning: [...think, { open: `<think${hySuffix}>`, close: `</think${hySuffix}>` }],
  silent: ['<|hy_eos|>'],
  stop: ['<tool_responses>'],
  result: response,
  lesson: taggedLesson(
    '<tool_calls>\n<tool_call>NAME<tool_sep>\n<arg_key>PARAMETER</arg_key>\n<arg_value>value</arg_value>\n</tool_call>\n</tool_calls>',
    markPair('<arg_key>PARAMETER#1</arg_key> with <arg_value>', '</arg_value#1>'),
    results,
  ),
})

/** Step 3: its own tags between tokens. */
export const step3: Dialect = taggedDialect({
  name: 'step3',
  wrapper: { open: '<｜tool_calls_begin｜>', close: '<｜tool_calls_end｜>' },
  call: {
    open: [
      '<｜tool_call_begin｜>\nfunction<｜tool_sep｜>\n<steptml:invoke name="{name}">',
      '<steptml:invoke name="{name}">',
    ],
    close: ['</steptml:invoke>\n<｜tool_call_end｜>', '</steptml:invoke>'],
  },
  parameter: { open: '<steptml:parameter name="{name}">', close: '</steptml:parameter>' },
  inline: true,
  reasoning: think,
  silent: ['<|EOT|>'],
  stop: ['<|EOT|>'],
  result: response,
  lesson: taggedLesson(
    '<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="NAME"><steptml:parameter name="PARAMETER">value</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>',
    markPair('<steptml:parameter name="PARAMETER#1">', '</steptml:parameter#1>'),
    results,
  ),
})

/** MiniCPM 5: names in attributes, and CDATA for values with tags in them. */
export const minicpm5: Dialect = taggedDialect({
  name: 'minicpm5',
  call: { open: '<function name="{name}">', close: '</function>' },
  parameter: [
    { open: '<param name="{name}">', close: '</param>' },
    { open: '<param name="{name}">\n<![CDATA[', close: ']]>\n</param>', escapes: true },
  ],
  inline: true,
  reasoning: think,
  silent: ['<|im_end|>'],
  stop: ['<|im_end|>'],
  result: response,
  lesson: taggedLesson(
    '<function name="NAME"><param name="PARAMETER">value</param></function>',
    'A value with tags in it goes into <![CDATA[ and ]]>.',
    results,
  ),
})

const token = ']<]minimax[>['
/** Some servers put whitespace between the token and the tag. */
const afterToken = (tag: string) => [`${token}${tag}`, `${token}\n${tag}`]

/**
 * MiniMax M3: a token before each tag, parameters in tags named after them, and members and items in tags inside those.
 */
export const minimaxM3: Dialect = taggedDialect({
  name: 'minimax-m3',
  wrapper: { open: afterToken('<tool_call>'), close: afterToken('</tool_call>') },
  call: { open: afterToken('<invoke name="{name}">'), close: afterToken('</invoke>') },
  parameter: { open: afterToken('<{name}>'), close: afterToken('</{name}>') },
  inline: true,
  values: 'nested',
  reasoning: [...think, { open: '<mm:think>', close: '</mm:think>' }],
  silent: ['</mm:think>', '[e~['],
  stop: ['[e~['],
  result: response,
  lesson: taggedLesson(
    `${token}<tool_call>\n${token}<invoke name="NAME">${token}<PARAMETER>value${token}</PARAMETER>${token}</invoke>\n${token}</tool_call>`,
    `A value that contains its closing tag goes into marked tags: ${token}<PARAMETER#1> and ${token}</PARAMETER#1>.`,
    results,
  ),
})

/**
 * Cline, Roo, Kilo and morph-xml: tags named after the tool and its parameters.
 *
 *     <read_file>
 *     <path>src/lib.rs</path>
 *     </read_file>
 */
export const cline: Dialect = taggedDialect({
  name: 'cline',
  call: { open: ['<{name}>', '<{name}\n/>'], close: '</{name}>' },
  parameter: { open: '<{name}>', close: '</{name}>' },
  inline: true,
  namedAfterTools: true,
  reasoning: [...think, { open: '<thinking>', close: '</thinking>' }],
  stop: [],
  result: response,
  lesson: taggedLesson(
    '<NAME>\n<PARAMETER>value</PARAMETER>\n</NAME>',
    markPair('<PARAMETER#1>', '</PARAMETER#1>'),
    results,
  ),
})
