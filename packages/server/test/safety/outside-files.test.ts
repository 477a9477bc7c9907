/**
 * No text of a request, and none of a served document, makes the server read a file outside of the folder that it serves.
 * Every case is tried with a file that exists and one that does not: the answers may differ in the name alone.
 */
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ServedFolder, serveFolder } from '../served-folder.ts'

const canary = 'CANARY-7f3a'
const recording = `<user>\nWhat?\n</user>\n\n<assistant>\n${canary}\n</assistant>\n`
const question = '<user>\nGo.\n</user>\n'

/** Serves a folder beside a file that is none of it. */
async function serve(files: Record<string, string> = {}): Promise<ServedFolder & { outside: string }> {
  const served = await serveFolder([], { files, run: { model: undefined, env: {} } })
  const outside = join(served.folder, '..', 'outside')
  await mkdir(outside)
  for (const name of ['secret.chatmd', 'secret.txt', 'secret.json', 'secret.png'])
    await writeFile(join(outside, name), name.endsWith('.json') ? JSON.stringify({ title: canary }) : recording)
  await symlink(outside, join(served.folder, 'linked'))
  return { ...served, outside }
}

/** All that the server says of a document, and what a run of it leaves. */
async function sayAll({ ask, get, read }: ServedFolder, document: string, body: object = {}): Promise<string> {
  const texts: string[] = []
  for (const route of ['', '/settings', '/check', '/preview', '/messages'])
    texts.push(await (await ask('GET', `/api/documents/${document}${route}`)).text())
  const started = await ask('POST', '/api/runs', { document, ...body })
  const text = await started.text()
  texts.push(text)
  const { id } = JSON.parse(text) as { id?: string }
  if (id !== undefined) {
    await expect.poll(async () => (await get(`/api/runs/${id}`)).state).toMatch(/done|failed|waiting/)
    texts.push(await (await ask('GET', `/api/runs/${id}/log?offset=-1`)).text())
    texts.push(JSON.stringify(await get('/api/runs')))
  }
  texts.push(JSON.stringify(await get('/api/documents')), await read(document))
  return texts.join('\n')
}

const names = (outside: string): string[] => [
  `replay:${outside}`,
  ` replay:${outside}`,
  `\treplay:${outside} `,
  `replay: ${outside}`,
  `replay:linked/FILE`,
  `replay:../outside/FILE`,
  `replay:./linked/../../outside/FILE`,
  `replay:file://${outside}`,
  `\u00a0replay:${outside}`,
]

test.each(['secret.chatmd', 'missing.chatmd'])('a request may not name a recording: %s', async file => {
  const served = await serve({ 'a.chatmd': question })
  for (const name of [
    ...names(join(served.outside, file)),
    'replay:a.chatmd',
    'replay:',
    'replay',
    'replay:/etc/passwd',
  ]) {
    const model = name.replace('FILE', file)
    const run = await served.ask('POST', '/api/runs', { document: 'a.chatmd', model })
    expect([run.status, await run.json()], model).toMatchObject([400, { code: 'SERVER_BAD_MODEL' }])
    const preview = await served.ask('GET', `/api/documents/a.chatmd/preview?model=${encodeURIComponent(model)}`)
    expect([preview.status, await preview.json()], model).toMatchObject([400, { code: 'SERVER_BAD_MODEL' }])
  }
})

test('nor does one that an older server accepted', async () => {
  const served = await serve({ 'a.chatmd': question })
  await served.server.close()
  const model = `replay:${join(served.outside, 'secret.chatmd')}`
  const line = { type: 'job', epoch: 9, job: { run: 'old-1', document: 'a.chatmd', model, at: 1 } }
  await writeFile(join(served.folder, '../state/runs.jsonl'), `${JSON.stringify(line)}\n`)
  const next = await served.restart([])
  await expect.poll(async () => (await next.get('/api/runs/old-1')).state).toBe('failed')
  expect(await next.get('/api/runs/old-1')).toMatchObject({ code: 'SERVER_BAD_MODEL' })
  expect(await next.read('a.chatmd')).not.toContain(canary)
})

/** Documents that name a file in every way that there is. `FILE` is the file, with its ending. */
const documents: Record<string, (place: string) => string> = {
  'a model': place => `<config model="replay:${place}.chatmd"/>\n${question}`,
  'a model after a space': place => `<config model=" replay:${place}.chatmd"/>\n${question}`,
  'a model after a tab': place => `<config model="&#9;replay:${place}.chatmd"/>\n${question}`,
  'an output': place => `<config output="${place}.json"/>\n${question}`,
  'an import': place => `<import src="${place}.chatmd"/>\n${question}`,
  'a document': place => `<user>\n<doc src="${place}.txt" local/>\n</user>\n`,
  'a picture': place => `<user>\n<img src="${place}.png" local/>\n</user>\n`,
  'a file address': place => `<user>\n<doc src="file://${place}.txt"/>\n<img src="file://${place}.png"/>\n</user>\n`,
  'an agent': place => `<user>\n<agent src="${place}.chatmd" local>Go.</agent>\n</user>\n`,
  'a tool': place => `<tool name="helper" agent="${place}.chatmd" local/>\n${question}`,
  'an agent whose model it is': () => `<tool name="helper" agent="helper.chatmd" local/>\n${question}`,
  'a module': place => `<tool name="t" module="${place}.json"/>\n${question}`,
  'a call': place => `${question}<tool_call tool_call_id="c" tool_name="x" src="${place}.json"/>\n`,
  'a response': place =>
    `${question}<tool_call tool_call_id="c" tool_name="x">{}</tool_call>\n<tool_response tool_call_id="c" src="${place}.json"/>\n`,
  'a parameter': place => `<config params="p=${place}.txt"/>\n<user>\n<doc src="{{p}}" local/>\n</user>\n`,
}

test.each(Object.entries(documents))('a document that names a file outside as %s', async (_, write) => {
  for (const way of [
    (outside: string, name: string) => join(outside, name),
    (_: string, name: string) => `../outside/${name}`,
    (_: string, name: string) => `linked/${name}`,
  ]) {
    const said: string[] = []
    for (const name of ['secret', 'nobody']) {
      const served = await serve()
      const place = way(served.outside, name)
      await writeFile(
        join(served.folder, 'helper.chatmd'),
        `<config model="replay:${place}.chatmd"/>\n<user>\nHi.\n</user>\n`,
      )
      await served.ask('PUT', '/api/documents/a.chatmd', write(place))
      const hasParams = write(place).includes('params=')
      const text = await sayAll(served, 'a.chatmd', hasParams ? { params: { p: `${place}.txt` } } : {})
      expect(text).not.toContain(canary)
      expect(text).not.toContain(Buffer.from(canary).toString('base64').slice(0, 10))
      said.push(tidy(text, served.folder, name))
    }
    expect(said[0]).toBe(said[1])
  }
})

/** Without what differs from run to run. */
function tidy(text: string, folder: string, name: string): string {
  return text
    .replaceAll(join(folder, '..'), '')
    .replaceAll(name, 'NAME')
    .replaceAll(
      /"(?:id|run|location)":"[\w/-]+"|run="[^"]*"|msg-[\w-]+|\d{4}-\d\d-\d\dT[\d:.]+Z|"t":\d+|"size":\d+|"digest":"\w+"/g,
      '',
    )
    .replaceAll(/[0-9a-z]{9}-[0-9a-f]{8}|"version":"[^"]*"|"inputHash":"\w+"/g, '')
}

test('files that are posted are read from the message and from nowhere else', async () => {
  const said: string[] = []
  for (const name of ['secret', 'nobody']) {
    const served = await serve({ 'a.chatmd': question })
    const place = join(served.outside, name)
    for (const [url, mediaType] of [
      [`file://${place}.txt`, 'text/plain'],
      [`${place}.txt`, 'text/plain'],
      [`../outside/${name}.txt`, 'text/plain'],
      [`linked/${name}.png`, 'image/png'],
      [`${place}.png`, 'image/png'],
      [`file://${place}.png`, 'image/png'],
    ]) {
      const input = {
        role: 'user',
        parts: [
          { type: 'text', text: 'Look.' },
          { type: 'file', url, mediaType },
        ],
      }
      const text = await sayAll(served, 'a.chatmd', { input })
      expect(text, url).not.toContain(canary)
      expect(text, url).not.toContain(Buffer.from(canary).toString('base64').slice(0, 10))
      said.push(tidy(text, served.folder, name))
    }
  }
  expect(said.slice(0, 6)).toEqual(said.slice(6))
})

test('a recording beside the document is still its model', async () => {
  const served = await serve({ 'r.chatmd': recording, 'a.chatmd': `<config model="replay:r.chatmd"/>\n${question}` })
  expect(await served.get('/api/documents/a.chatmd/settings')).toMatchObject({
    model: expect.stringContaining('replay:'),
  })
  const { id } = await served.post('/api/runs', { document: 'a.chatmd' })
  await served.until(id, 'done')
  expect(await served.read('a.chatmd')).toContain(canary)
})

test('documents read from the folder that is served, wherever the process was started', async () => {
  const served = await serveFolder([], { run: { model: undefined, env: {}, cwd: undefined } })
  await served.ask('PUT', '/api/documents/a.chatmd', '<user>\n<doc src="package.json" local/>\n</user>\n')
  const text = await sayAll(served, 'a.chatmd')
  expect(text).toContain('CHATMD_FILE_NOT_FOUND')
  expect((await served.ask('POST', '/api/runs', { document: 'a.chatmd' })).status).toBe(422)
  expect(text).not.toContain('argot-workspace')
})
