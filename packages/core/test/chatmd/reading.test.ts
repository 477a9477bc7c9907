import { checkChatMd, parseChatMd, printChatMd, repairChatMd } from '@argot/core/chatmd'
import type { ChatMdEntry } from '@argot/core/chatmd/internal'
import { describe, expect, test } from 'vitest'
import type { ElementContent } from '../../src/chatmd/reader/content.ts'

/** The texts of the messages of a document. */
function texts(source: string): string[] {
  return parseChatMd(source).document.entries.map(textOfEntry)
}

/** What an entry holds; helpers in braces. */
function textOfEntry(entry: ChatMdEntry): string {
  switch (entry.type) {
    case 'message':
      return entry.content.map(textOfContent).join('')
    case 'tool-call':
    case 'tool-response':
      return entry.payload.type === 'reference'
        ? `{payload ${entry.payload.src}}`
        : 'text' in entry.payload
          ? entry.payload.text
          : ''
    case 'reasoning':
      return entry.texts.join('|')
    case 'import':
      return `{import ${entry.src}}`
  }
}

function textOfContent(content: ElementContent): string {
  if (content.type === 'text') return content.text
  return content.type === 'agent' ? `{agent ${content.content.map(textOfContent).join('')}}` : `{${content.type}}`
}

/** `CODE@line:column` of everything that is wrong, errors with `!`. */
function codes(source: string): string[] {
  return checkChatMd(source).map(({ code, severity, range }) => {
    const { line, column } = range!.start
    return `${severity === 'error' ? '!' : ''}${code.replace('CHATMD_', '')}@${line}:${column}`
  })
}

/** One attribute value of `<tool name="t" description=…/>`. */
function description(attribute: string): string | undefined {
  return parseChatMd(`<tool name="t" description=${attribute}/>`).document.tools[0]?.description
}

const u = (text: string): string => `<user>${text}</user>`

describe('tag names: the 15 of the seed, lowercase; anything else is text', () => {
  test.each([
    ['msg', '<msg role="user">a</msg>'],
    ['user', '<user>a</user>'],
    ['assistant', '<assistant>a</assistant>'],
    ['system', '<system>a</system>'],
    ['developer', '<developer>a</developer>'],
    ['tool', '<tool name="a"/>'],
    ['tool_call', '<tool_call function_name="f" tool_call_id="c">{}</tool_call><tool_response tool_call_id="c"/>'],
    ['reasoning and summary', '<reasoning id="r"><summary>a</summary></reasoning>'],
    ['config', '<config/>'],
    ['import', '<import src="a"/>'],
    ['doc, img, agent', '<user><doc src="a"/><img src="b"/><agent src="c">d</agent></user>'],
  ])('knows %s', (_, source) => expect(codes(source)).toEqual([]))

  test.each([
    ['<User>'],
    ['<USER>'],
    ['<b>'],
    ['<users>'],
    ['<user_>'],
    ['<user1>'],
    ['<user-x>'],
    ['<tool_calls>'],
    ['< user>'],
    ['</ user>'],
    ['<>'],
    ['<!DOCTYPE>'],
    ['<?xml?>'],
  ])('takes %s for text', markup => {
    expect(texts(u(`x ${markup} y`))).toEqual([`x ${markup} y`])
    expect(codes(markup)[0]).toBe('!TEXT_AT_TOP@1:1')
  })
})

describe('`<` in prose starts a tag only before a recognised name and blank, `/` or `>`', () => {
  test.each([
    ['a <b'],
    ['x <y> z'],
    ['if (a<user_id) b'],
    ['1 <2'],
    ['<user.name>'],
    ['a<userb>c'],
    ['<'],
    ['<<<'],
    ['</b>'],
  ])('leaves %s alone and swallows nothing', text => {
    expect(texts(`${u(text)}<assistant>next</assistant>`)).toEqual([text, 'next'])
    expect(codes(u(text))).toEqual([])
  })

  test('takes a recognised name with blank, slash or bracket behind it for a tag', () => {
    expect(codes(u('a <doc\tsrc="x"/>'))).toEqual([])
    expect(codes(u('a <config/>'))).toEqual(['!NESTED_ELEMENT@1:9'])
    expect(codes(u('a <system>b</system>'))).toEqual(['!NESTED_ELEMENT@1:9'])
  })
})

describe('the end of a tag is the first `>` outside quotes; attributes may span lines', () => {
  test.each([
    ['a bracket in double quotes', '"a > b"', 'a > b'],
    ['a bracket in single quotes', "'a > b'", 'a > b'],
    ['a value over lines', '"a\nb"', 'a\nb'],
    ['a slash at the end of a bare value', 'a/b', 'a/b'],
  ])('reads %s', (_, attribute, value) => expect(description(attribute)).toBe(value))

  test('reads attributes on lines of their own', () => {
    expect(parseChatMd('<tool\n\tname\n=\r\n"a"\n  command="b"\n/>').document.tools[0]).toMatchObject({
      name: 'a',
      command: 'b',
    })
  })

  test.each([
    ['flags on lines of their own', '<user\nsrc state\nid>x</user>'],
    ['flags that no element has', '<user\nx-y a:b\n\tid\n>x</user>'],
    ['flags before a value', '<user\nsrc state\nid = "a > b" name=c >x</user>'],
    ['flags before a value with quotes in it', '<user\nsrc state\nid=\'it\\\'s\' name="a \\" > b">x</user>'],
  ])('takes %s for attributes', (_, source) => {
    expect(codes(source)).toEqual(['UNKNOWN_ATTRIBUTE@2:1', expect.stringMatching(/^UNKNOWN_ATTRIBUTE@2:[45]$/)])
    expect(texts(source)).toEqual(['x'])
  })

  test.each([
    ['a `>` between blanks', '<user\nIs it so that\na > b\n</user>', 'Is it so that\na > b'],
    ['an arrow', '<user\nfrom here\na -> b\n</user>', 'from here\na -> b'],
    ['a quotation', '<user\nHe said\n\n> b\n</user>', 'He said\n\n> b'],
    ['markup', '<user\nUse this\n<b>x</b>\n</user>', 'Use this\n<b>x</b>'],
    ['punctuation', '<user\nSay it\nagain, or a>b\n</user>', 'Say it\nagain, or a>b'],
  ])('takes words before %s for text after a tag that has lost its `>`', (_, source, text) => {
    expect(codes(source)).toEqual(['!UNCLOSED_TAG@1:1'])
    expect(texts(source)).toEqual([''])
    expect(texts(repairChatMd(source).text)).toEqual([text])
  })

  test('reports a tag without `>` where it starts', () => {
    expect(codes('<user')).toEqual(['!TEXT_AT_TOP@1:1'])
    expect(codes('<user ')).toEqual(['!UNCLOSED_TAG@1:1'])
    expect(codes('<user id="a"\n<assistant>b</assistant>')).toEqual(['!UNCLOSED_TAG@1:1'])
    expect(texts('<user id="a"\n<assistant>b</assistant>')).toEqual(['', 'b'])
  })
})

describe('closing tag: blanks before `>` are allowed', () => {
  test.each([['</user>'], ['</user >'], ['</user\n\t>']])('reads %j', close => {
    expect(texts(`<user>a${close}`)).toEqual(['a'])
  })
  test.each([['</user x>'], ['</ user>'], ['</user/>']])('takes %j for text', close => {
    expect(texts(`<user>a${close}b</user>`)).toEqual([`a${close}b`])
  })
})

describe('attributes', () => {
  test.each([
    ['double quotes', '"a b"', 'a b'],
    ['single quotes', "'a b'", 'a b'],
    ['bare', 'a', 'a'],
    ['the other quote inside', `"it's"`, "it's"],
    ['an escaped double quote', '"say \\"hi\\""', 'say "hi"'],
    ['an escaped single quote', "'it\\'s'", "it's"],
    ['the other quote escaped', `"it\\'s"`, "it's"],
    ['a backslash before the closing quote', '"C:\\dir\\\\"', 'C:\\dir\\'],
    ['a backslash before a quote inside', '"a\\\\\\"b"', 'a\\"b'],
    ['backslashes elsewhere', '"a\\\\b\\n"', 'a\\\\b\\n'],
    ['the five entities', '"&amp;&lt;&gt;&quot;&apos;"', '&<>"\''],
    ['each entity on its own', '"a & b &lt; c &x; &amp;lt;"', 'a & b < c &x; &lt;'],
    ['no entity in a bare value', 'a&lt;b', 'a&lt;b'],
  ])('reads %s', (_, attribute, value) => expect(description(attribute)).toBe(value))

  test('reads blanks around `=`, flags, and any name of `[A-Za-z0-9_:-]`', () => {
    const { node } = parseChatMd('<user a = "1" b\n=2 xml:lang-2 C_d>x</user>').document.entries[0]!
    expect(node.attributes.map(({ name, value }) => [name, value])).toEqual([
      ['a', '1'],
      ['b', '2'],
      ['xml:lang-2', true],
      ['C_d', true],
    ])
  })

  test('the last of a repeated attribute wins, with a warning', () => {
    expect(parseChatMd('<tool name="a" name="b"/>').document.tools[0]).toMatchObject({ name: 'b' })
    expect(codes('<tool name="a" name="b"/>')).toEqual(['REPEATED_ATTRIBUTE@1:16'])
  })

  test('unterminated quotes are an error at the quote', () => {
    expect(codes('<user>\n<img src="a.png>\n</user>')).toEqual(['!UNCLOSED_QUOTE@2:10'])
  })

  test.each([
    ['a quote without a name', '<user "x">a</user>', '!BAD_ATTRIBUTE@1:7'],
    ['`=` without a name', '<user = >a</user>', '!BAD_ATTRIBUTE@1:7'],
    ['a name without a value', '<user id=>a</user>', '!BAD_ATTRIBUTE@1:7'],
    ['a stray slash', '<user / id="a">a</user>', '!BAD_ATTRIBUTE@1:7'],
    ['a quote in a bare value', '<user id=a"b>a</user>', 'SUSPECT_VALUE@1:10'],
    ['a value that swallows lines with tags', '<user id="a\n<user>\n">a</user>', '!UNCLOSED_QUOTE@1:10'],
  ])('reports %s', (_, source, code) => expect(codes(source)).toEqual([code]))
})

describe('comments are removed everywhere except inside RAW', () => {
  test.each([
    ['in text', u('a<!-- b -->c'), ['ac']],
    ['over lines', u('a<!--\n\n-->c'), ['ac']],
    ['around tags', '<!-- <user>x</user> --><user>a</user><!---->', ['a']],
    ['in a tag', '<user <!-- > " --> id="b">a</user>', ['a']],
    ['in assistant text', '<assistant>a<!-- b -->c</assistant>', ['ac']],
    ['not in RAW', u('RAW|a<!-- b -->c|RAW'), ['a<!-- b -->c']],
    ['with RAW marks inside', u('a<!-- RAW| -->b'), ['ab']],
  ])('%s', (_, source, expected) => {
    expect(texts(source)).toEqual(expected)
    expect(codes(source)).toEqual([])
  })

  test('in a quoted value', () => expect(description('"a<!-- " -->b"')).toBe('ab'))
  test('unterminated is an error', () => {
    expect(codes('<user>a</user>\n<!-- b')).toEqual(['!UNCLOSED_COMMENT@2:1'])
    expect(codes(u('a <!-- b'))).toContain('!UNCLOSED_COMMENT@1:9')
  })
})

describe('RAW: from `RAW|` to the first `|RAW`, no nesting, not inside a tag', () => {
  test.each([
    ['tags', '<user>', '<user>'],
    ['its own opening mark', 'RAW|', 'RAW|'],
    ['quotes and comments', '" <!-- \'', '" <!-- \''],
    ['nothing', '', ''],
  ])('keeps %s', (_, inside, text) => expect(texts(u(`a RAW|${inside}|RAW b`))).toEqual([`a ${text} b`]))

  test('is not recognised inside a tag', () => {
    expect(description('"RAW|x|RAW"')).toBe('RAW|x|RAW')
    expect(codes('<tool name="RAW|">')).toEqual(['NO_SLASH@1:1'])
  })
  test('side by side, blocks are one text', () => expect(texts(u('RAW|a||RAWRAW|RAW b|RAW'))).toEqual(['a|RAW b']))
  test('`|RAW` alone is text', () => expect(texts(u('a |RAW b'))).toEqual(['a |RAW b']))
  test('unterminated is an error, and reading goes on at the next section', () => {
    expect(codes('<user>\nRAW|\na\n</user>\n<user>b</user>')).toEqual(['!UNCLOSED_RAW@2:1'])
    expect(texts('<user>\nRAW|\na\n</user>\n<user>b</user>')).toEqual(['a', 'b'])
  })
})

describe('layout newlines', () => {
  test.each([
    ['one after the opening and one before the closing tag', '\na\n', 'a'],
    ['CRLF', '\r\na\r\n', 'a'],
    ['only the first and the last', '\n\na\n\n', '\na\n'],
    ['a lone CR is not one', '\ra\r', '\ra\r'],
    ['never trimmed', '\n  a  \n', '  a  '],
    ['a single one', '\n', ''],
    ['two', '\n\n', ''],
    ['three', '\n\n\n', '\n'],
    ['none', '', ''],
    ['blanks are content', ' \n ', ' \n '],
    ['inside RAW', 'RAW|\na\n|RAW', 'a'],
    ['inside RAW with CRLF', 'RAW|\r\na\r\n|RAW', 'a'],
    ['inside RAW, only one each', 'RAW|\n\na\n\n|RAW', '\na\n'],
    ['inside RAW, a single one', 'RAW|\n|RAW', ''],
    ['blanks between the opening tag and RAW', '\n \t RAW|a|RAW\n', 'a'],
    ['blanks behind RAW are content', 'RAW|a|RAW \n', 'a '],
    ['a comment between tag and newline', '<!-- c -->\na\n<!-- d -->', 'a'],
    ['around helpers', '\n<doc src="x"/>\n', '{doc}'],
  ])('%s: %j', (_, body, text) => {
    expect(texts(u(body))).toEqual([text])
    expect(texts(`<assistant>${body.replace('<doc src="x"/>', '{doc}')}</assistant>`)).toEqual([text])
  })

  test.each([
    ['blanks around one RAW', ' \n RAW|\na\n|RAW \n ', 'a'],
    ['blanks between two RAW', 'RAW|a|RAW \n RAW|b|RAW', 'ab'],
    ['comments beside RAW', '<!-- a -->RAW|a|RAW\n<!-- b -->\n', 'a'],
    ['text is content', ' \n a ', ' \n a '],
    ['newlines around text', '\na\n', 'a'],
    ['text beside RAW', ' x RAW|a|RAW', ' x a'],
  ])('in tool elements and agents: %s', (_, body, text) => {
    expect(texts(`<tool_call function_name="f" tool_call_id="c">${body}</tool_call>`)).toEqual([text])
    expect(texts(`<tool_response tool_call_id="c">${body}</tool_response>`)).toEqual([text])
    expect(texts(u(`<agent src="x">${body}</agent>`))).toEqual([`{agent ${text}}`])
  })

  test('in tool elements and agents: blanks around a single doc', () => {
    expect(texts('<tool_response tool_call_id="c">\n  <doc src="x" local/>\n</tool_response>')).toEqual(['{payload x}'])
    expect(texts(u('<agent src="a">\n  <doc src="x"/>\n</agent>'))).toEqual(['{agent {doc}}'])
  })
})

describe('BOM, CRLF and a missing final newline are kept by the tree and harmless', () => {
  test.each([
    ['BOM', '\ufeff<user>a</user>\n'],
    ['BOM and blanks', '\ufeff \n<user>a</user>\n'],
    ['CRLF', '<user>\r\na\r\n</user>\r\n'],
    ['CR', '<user>a</user>\r'],
    ['no final newline', '<user>a</user>'],
  ])('%s', (_, source) => {
    expect(texts(source)).toEqual(['a'])
    expect(codes(source)).toEqual([])
    expect(printChatMd(parseChatMd(source).document)).toBe(source)
  })

  test('a BOM anywhere else is text', () => expect(codes('<user>a</user>\ufeff')).toEqual(['!TEXT_AT_TOP@1:15']))
})

describe('structure', () => {
  test.each([
    ['user', '<user>b</user>'],
    ['assistant', '<assistant>b</assistant>'],
    ['msg', '<msg role="user">b</msg>'],
    ['config', '<config/>'],
    ['tool', '<tool name="a"/>'],
    ['summary', '<summary>b</summary>'],
    ['tool_call', '<tool_call function_name="f" tool_call_id="c"/>'],
    ['reasoning', '<reasoning id="r"/>'],
  ])('a nested %s is an error at its place', (_, nested) => {
    for (const parent of ['user', 'system', 'developer']) {
      const found = codes(`<${parent}>a ${nested}</${parent}>`)
      expect(found.filter(code => code.startsWith('!'))).toEqual([`!NESTED_ELEMENT@1:${parent.length + 5}`])
    }
  })

  test.each([
    ['assistant', '<assistant>', '</assistant>'],
    ['msg of the assistant', '<msg role="assistant">', '</msg>'],
    ['reasoning', '<reasoning id="r">', '</reasoning>'],
    ['summary', '<reasoning id="r"><summary>', '</summary></reasoning>'],
    [
      'tool_response',
      '<tool_call function_name="f" tool_call_id="c"/><tool_response tool_call_id="c">',
      '</tool_response>',
    ],
  ])('tags that the text of %s quotes are text, with one warning', (_, open, close) => {
    const quoted = [
      'a <user>b</user> c </user> <config/> <tool_call> <doc src="x" local> </doc> <agent src="x"> <img src="y"/>',
      'first\n<user>\nHi\n</user>\n<system>\nBe brief.\n</system>\nlast',
      '<user id="a" x="',
      'an <import src="x"/>',
    ]
    for (const text of quoted) {
      const source = `${open}${text}${close}\n<user>next</user>`
      expect(texts(source).slice(-2)).toEqual([text, 'next'])
      expect(codes(source)).toEqual([expect.stringMatching(/^QUOTED_TAG@/)])
    }
  })

  test('the text of an assistant may quote a whole assistant', () => {
    const text = 'Write:\n<assistant>\nHello\n</assistant>\nand so on.'
    const source = `<assistant>\n${text}\n</assistant>\n<user>next</user>`
    expect(texts(source)).toEqual([text, 'next'])
    expect(codes(source)).toEqual(['QUOTED_TAG@3:1'])
  })

  test.each([
    ['doc', '<user>a <doc src="x" local> b</user>', ['a {doc} b']],
    ['img', '<user>a <img src="x"> b</user>', ['a {img} b']],
    ['import', '<import src="x">\n<user>a</user>', ['{import x}', 'a']],
    ['config', '<config model="m">\n<user>a</user>', ['a']],
    [
      'reference',
      '<tool_call function_name="f" tool_call_id="c"><doc src="./.chatmd/0.json" local></tool_call><tool_response tool_call_id="c"/>',
      ['{payload ./.chatmd/0.json}', ''],
    ],
  ])('a %s that is not closed ends at its `>`', (name, source, expected) => {
    expect(texts(source)).toEqual(expected)
    expect(codes(source)).toEqual(name === 'reference' ? [] : [expect.stringMatching(/^NO_SLASH@/)])
  })

  test.each([
    ['doc', '<doc src="a"/>'],
    ['img', '<img src="a"/>'],
    ['agent', '<agent src="a">b</agent>'],
    ['summary', '<summary>a</summary>'],
  ])('a top-level %s is ignored with a warning', (_, source) => {
    expect(codes(source)).toEqual(['IGNORED_AT_TOP@1:1'])
    expect(texts(source)).toEqual([])
  })

  test.each([
    ['text', 'Hello'],
    ['an unknown tag', '<b>x</b>'],
    ['RAW', 'RAW|x|RAW'],
    ['text behind an element', '<user>a</user> b', '!TEXT_AT_TOP@1:16'],
  ])('%s at top level is an error', (_, source, code = '!TEXT_AT_TOP@1:1') => expect(codes(source)).toEqual([code]))

  test.each([
    ['a closing tag of another name', '<user>a</assistant>', ['!MISMATCHED_TAG@1:8']],
    ['a closing tag alone', '</user>', ['!MISMATCHED_TAG@1:1']],
    ['an element that stays open', '<user>a', ['!UNCLOSED_ELEMENT@1:1']],
    ['an inner element that stays open', u('<agent src="a">b'), ['!UNCLOSED_ELEMENT@1:7']],
    ['64 agents inside each other', u('<agent src="a">'.repeat(64) + '</agent>'.repeat(63)), ['!TOO_DEEP@1:952']],
  ])('%s is an error', (_, source, expected) => expect(codes(source)).toEqual(expected))

  test('behind a value that never ends, values end at the next section', () => {
    const source = `<user name='x\n<user name="y\n<user name="z">w</user>\n`
    expect(texts(source)).toEqual(['', '', 'w'])
    expect(codes(source)).toEqual(['!UNCLOSED_QUOTE@1:12', '!UNCLOSED_QUOTE@2:12'])
  })

  test('a line may end with CR alone', () => {
    expect(texts('<user>\rRAW|a\r</user>\r<user>b</user>')).toEqual(['a\r', 'b'])
  })

  test('reading recovers at the next section that starts a line', () => {
    const source = '<user>one\n<system>two\n<assistant>three</assistant>\n<user>four</user>\n'
    expect(texts(source)).toEqual(['one', 'two', 'three', 'four'])
    expect(codes(source)).toEqual(['!UNCLOSED_ELEMENT@1:1', '!UNCLOSED_ELEMENT@2:1'])
  })
})

describe('what must be there', () => {
  test.each([
    ['msg without role', '<msg>a</msg>', '!MISSING_ROLE@1:1'],
    ['msg with an unknown role', '<msg role="robot">a</msg>', '!UNKNOWN_ROLE@1:6'],
    [
      'tool_call without function_name',
      '<tool_call tool_call_id="c"/><tool_response tool_call_id="c"/>',
      '!MISSING_FUNCTION_NAME@1:1',
    ],
    [
      'tool_response without tool_call_id',
      '<tool_call function_name="f" tool_call_id=""/><tool_response/>',
      '!MISSING_CALL_ID@1:47',
    ],
    ['reasoning without id', '<reasoning>a</reasoning>', '!MISSING_REASONING_ID@1:1'],
    ['doc without src', u('<doc local/>'), '!MISSING_SRC@1:7'],
    ['img without src', u('<img/>'), '!MISSING_SRC@1:7'],
    ['agent without src', u('<agent>a</agent>'), '!MISSING_SRC@1:7'],
    ['import without src', u('<import/>'), '!MISSING_SRC@1:7'],
    ['an empty src', u('<doc src=""/>'), '!MISSING_SRC@1:7'],
    ['a src that is a flag', u('<doc src/>'), '!MISSING_SRC@1:7'],
    ['a top-level import without src', '<import/>', '!MISSING_SRC@1:1'],
    ['a number that is none', '<config max_tokens="x"/>', '!BAD_NUMBER@1:9'],
    ['a temperature that is none', '<config temperature="1,5"/>', '!BAD_NUMBER@1:9'],
    ['max_steps 0', '<config max_steps="0"/>', '!BAD_NUMBER@1:9'],
    ['a hexadecimal number', '<config max_tokens="0x10"/>', '!BAD_NUMBER@1:9'],
    ['command and agent', '<tool name="a" command="b" agent="c"/>', '!TWO_TOOL_KINDS@1:28'],
    ['agent and mcp_server', '<tool name="a" agent="b" mcp_server="c"/>', '!TWO_TOOL_KINDS@1:26'],
    ['an empty name', '<tool name=""/>', '!EMPTY_NAME@1:7'],
    ['a blank name', '<tool name=" "/>', '!EMPTY_NAME@1:7'],
    ['no name', '<tool command="x"/>', '!EMPTY_NAME@1:1'],
    ['an empty command', '<tool name="a" command=""/>', '!EMPTY_TOOL@1:16'],
  ])('%s is an error with its own code', (_, source, code) => expect(codes(source)).toEqual([code]))

  test('tool_call without tool_call_id is an error', () => {
    expect(codes('<tool_call function_name="f"/>')).toContain('!MISSING_CALL_ID@1:1')
  })

  test.each([
    ['0', 0],
    ['0.7', 0.7],
    ['1e-1', 0.1],
    ['.5', 0.5],
    [' 1 ', 1],
  ])('temperature %j is a number', (value, expected) => {
    expect(parseChatMd(`<config temperature="${value}"/>`).document.config?.temperature).toBe(expected)
  })
})

describe('warnings', () => {
  const call = (id: string): string => `<tool_call function_name="f" tool_call_id="${id}"/>`
  const response = (id: string): string => `<tool_response tool_call_id="${id}"/>`

  test.each([
    ['a response without a call', response('a'), ['RESPONSE_WITHOUT_CALL@1:1']],
    [
      'a response before its call',
      response('a') + call('a'),
      ['RESPONSE_WITHOUT_CALL@1:1', 'CALL_WITHOUT_RESPONSE@1:34'],
    ],
    ['a call without a response', call('a'), ['CALL_WITHOUT_RESPONSE@1:1']],
    ['a second response', call('a') + response('a') + response('a'), ['RESPONSE_WITHOUT_CALL@1:81']],
    ['a call id used twice', call('a') + response('a') + call('a') + response('a'), ['DUPLICATE_ID@1:110']],
    ['a message id used twice', '<user id="a">x</user><system id="a">x</system>', ['DUPLICATE_ID@1:30']],
    ['a tool declared twice', '<tool name="a"/><tool name="a"/>', ['DUPLICATE_TOOL@1:17']],
    ['several configs', '<config model="a"/><config model="b"/>', ['SECOND_CONFIG@1:20']],
    [
      'attributes of the second config, too',
      '<config/><config max_tokens="x"/>',
      ['SECOND_CONFIG@1:10', '!BAD_NUMBER@1:18'],
    ],
    ['show_tool_call="false"', '<config show_tool_call="false"/>', ['FLAG_VALUE@1:9']],
    ['an unknown attribute', '<config modle="a"/>', ['UNKNOWN_ATTRIBUTE@1:9']],
    ['content where none is read', '<config model="a">b</config>', ['IGNORED_CONTENT@1:19']],
    ['a tag in a fence', u('\n```\n<doc src="a"/>\n```\n'), ['TAG_IN_CODE@3:1']],
    ['a tag in a tilde fence', u('\n~~~xml\n<doc src="a"/>\n~~~\n'), ['TAG_IN_CODE@3:1']],
    ['a tag in a fence that never closes', u('\n```\n<doc src="a"/>\n'), ['TAG_IN_CODE@3:1']],
    ['a tag in inline code', u('a `<doc src="a"/>` b'), ['TAG_IN_CODE@1:10']],
    ['a tag in double backticks', u('a `` ` <doc src="a"/> `` b'), ['TAG_IN_CODE@1:14']],
    [
      'a payload that is not JSON',
      '<tool_call function_name="f" tool_call_id="a">x</tool_call><tool_response tool_call_id="a"/>',
      ['BAD_PAYLOAD@1:47'],
    ],
    ['a state that is none', '<assistant state="odd">a</assistant>', ['BAD_VALUE@1:12']],
  ])('%s', (_, source, expected) => expect(codes(source)).toEqual(expected))

  test.each([
    [
      'the same call id in another message',
      '<tool_call function_name="f" tool_call_id="a" message="1"/><tool_response tool_call_id="a"/><tool_call function_name="f" tool_call_id="a" message="2"/><tool_response tool_call_id="a"/>',
    ],
    ['a response to a call that an import may bring', `<import src="a"/>${response('a')}`],
    ['flags that say yes', '<config show_tool_call="true"/>'],
    ['a tag behind code', u('`a` <doc src="a"/> `b`')],
    ['a tag between unequal backticks', u('`a <doc src="a"/> ``b')],
    ['a tag behind a fence', u('\n```\na\n```\n<doc src="a"/>\n')],
    ['a backtick in RAW', u('RAW|`|RAW <doc src="a"/> `')],
    [
      'text of a custom call',
      '<tool_call type="custom_tool_call" function_name="f" tool_call_id="a">x</tool_call><tool_response tool_call_id="a">y</tool_response>',
    ],
  ])('says nothing about %s', (_, source) => expect(codes(source)).toEqual([]))

  test.each([
    ['modle', 'model'],
    ['Model', 'model'],
    ['max-tokens', 'max_tokens'],
    ['maxTokens', 'max_tokens'],
    ['temprature', 'temperature'],
    ['show_tool_calls', 'show_tool_call'],
    ['reasoning', 'reasoning_effort'],
    ['zzz', undefined],
    ['x'.repeat(10_000), undefined],
  ])('an unknown attribute %.20s gives the nearest name %s', (name, nearest) => {
    const [diagnostic] = checkChatMd(`<config ${name}="a"/>`)
    expect(diagnostic!.cure).toBe(nearest === undefined ? 'Remove it.' : `Did you mean \`${nearest}\`?`)
  })

  test('unknown attributes are kept', () => {
    expect(parseChatMd('<user x="1">a</user>').document.entries[0]!.node.attributes[0]).toMatchObject({
      name: 'x',
      value: '1',
    })
  })
})

describe('positions', () => {
  test.each([
    ['LF', '<user>a</user>\n\nb', '3:1'],
    ['CRLF', '<user>a</user>\r\n\r\nb', '3:1'],
    ['CR', '<user>a</user>\r\rb', '3:1'],
    ['tabs', '<user>a</user>\n\t\tb', '2:3'],
    ['astral characters', '<user>😀😀</user> b', '1:19'],
    ['a BOM', '\ufeff<user>a</user> b', '1:17'],
    ['the end of the text', '<user>a</user>\n<user>', '2:1'],
  ])('are right with %s', (_, source, place) => {
    const range = checkChatMd(source).find(one => one.severity === 'error')!.range!
    expect(`${range.start.line}:${range.start.column}`).toBe(place)
    if (place !== '2:1') expect(source[range.start.offset]).toBe('b')
  })
})

describe('a text that a crash cut off', () => {
  const head = '<user>a</user>\n'
  test.each([
    ['half a tag name', '<assist', head.length],
    ['a bracket', '<', head.length],
    ['half a tag', '<assistant id="x" ', head.length],
    ['half a value', '<assistant id="x', head.length],
    ['half a text', '<assistant id="x">\nhel', head.length],
    ['half a closing tag', '<assistant>\nhello\n</assis', head.length],
    ['half a RAW', '<assistant>\nRAW|\n<user>\n</user>\n<user>x</user>\n', head.length],
    ['half a comment', '<assistant>\n<!-- ', head.length],
    ['half a reference', '<tool_call function_name="f" tool_call_id="c">\n  <doc src="', head.length],
    ['nothing', '', undefined],
    ['blanks', '\n\n', undefined],
    ['text', 'hello <', undefined],
    ['an element with the closing tag of another', '<user>x</assistant> y', undefined],
    ['an element that someone forgot to close', '<user>x\n<assistant>y</assistant>\n', undefined],
  ])('%s: the place is known where the last whole element ends', (_, tail, cutAt) => {
    expect(parseChatMd(head + tail).document.tree.cutAt).toBe(cutAt)
  })
})
