import { syntaxes } from '@argot/core/syntax'

const parser = syntaxes.get('caret').parser()
const pieces = ['I will write the file.\n^^^write_', 'file\npath: a.md\ncontent ---\n# Hel', 'lo\n--- content\n^^^\n']
for (const piece of pieces) {
  for (const chunk of parser.push(piece)) console.log(JSON.stringify(chunk))
}
for (const chunk of parser.end()) console.log(JSON.stringify(chunk))
