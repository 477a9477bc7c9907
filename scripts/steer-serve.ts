import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { folderStore, defineTool } from '@argot/agent'
import { createServer, listen } from '@argot/server'
import { call, finish, scriptedModel, text } from '/work/trees/steer/packages/agent/test/scripted-model.ts'
const folder = '/tmp/steer-look'
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder + '/docs', { recursive: true })
writeFileSync(folder + '/docs/chat.chatmd', '<config show_tool_call/>\n<tool name="look"/>\n\n')
const look = defineTool({ name: 'look', description: 'Looks.', inputSchema: { type: 'object' }, effect: 'read', execute: async () => { await new Promise(r => setTimeout(r, 9000)); return 'seen' } })
const looks = [...text('I look at it first. '), ...call('l', 'look', {}), finish('tool-calls')]
const server = createServer({ store: folderStore(folder + '/docs', { key: Buffer.alloc(32, 7) }), stateFolder: folder + '/state', run: { model: scriptedModel([looks, 'Short it is: one thing was seen.']), tools: [look], env: {}, cwd: folder + '/docs', configFolder: folder + '/config' } })
const { port } = await listen(server, { port: 4877 })
console.log(port)
setTimeout(() => process.exit(0), 60000)
