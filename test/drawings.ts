import type { Arrows } from './guards/check-architecture.ts'

/** The drawing of the packages in ARCHITECTURE.md. To draw a new arrow, draw it there and here. */
export const packages: Arrows = {
  'packages/core': [],
  'packages/agent': ['packages/core'],
  'packages/server': ['packages/agent'],
  'packages/cli': ['packages/server'],
  'packages/react': ['packages/core'],
  'apps/web': ['packages/react'],
  'apps/gallery': ['packages/react'],
}

/** Doors of types alone, by file, and who may import them against the arrows: what is imported is gone when it runs. */
export const contracts: Arrows = { 'packages/server/src/api/index.ts': ['packages/react', 'apps/web'] }

/** The drawing inside each package, which it brings on the day it is made. `.` is a file directly in `src`. */
export const folders: Readonly<Record<string, Arrows>> = {
  'packages/core': {
    '.': ['stream', 'ai-sdk'],
    convert: ['chatmd', 'syntax', 'ai-sdk'],
    'ai-sdk': ['syntax'],
    testing: ['syntax'],
    chatmd: ['stream'],
    syntax: ['stream'],
    stream: ['message'],
    message: ['source'],
    source: [],
  },
  'packages/agent': {
    '.': ['run'],
    run: ['loop', 'trust', 'tool/source', 'store/folder', 'refine'],
    loop: ['approval', 'tool', 'transcript', 'model'],
    'tool/source': ['tool/builtin', 'trust'],
    'tool/builtin': ['tool/patch', 'resolver'],
    'tool/patch': ['tool'],
    tool: ['files'],
    trust: ['settings', 'store/folder'],
    settings: ['approval'],
    approval: ['tool'],
    testing: ['transcript', 'resolver'],
    refine: ['model', 'store'],
    'store/folder': ['store', 'settings'],
    transcript: ['store'],
    store: ['files'],
    model: ['resolver'],
    resolver: ['web'],
    web: ['files'],
    files: ['words'],
    words: [],
  },
  'packages/server': {
    '.': ['routes'],
    routes: ['documents'],
    documents: ['runs'],
    runs: ['guard', 'api'],
    proxy: ['guard'],
    guard: [],
    api: [],
    testing: ['runs'],
  },
  'packages/cli': {
    '.': ['commands'],
    commands: ['ask', 'documents', 'options'],
    ask: ['view'],
    view: ['io'],
    documents: ['io'],
    options: ['io'],
    io: [],
  },
  'packages/react': {
    '.': ['box', 'adapters'],
    box: ['parts'],
    parts: ['hooks', 'bodies'],
    bodies: ['locale'],
    hooks: ['store'],
    adapters: ['store'],
    store: ['locale'],
    locale: ['types'],
    types: [],
  },
  'apps/gallery': { '.': [] },
  'apps/web': {
    '.': ['header', 'conversation', 'source', 'machine'],
    header: ['documents'],
    documents: ['frame', 'server', 'export'],
    conversation: ['frame', 'server'],
    source: ['frame', 'server'],
    machine: ['frame', 'server'],
    frame: [],
    server: [],
    export: [],
  },
}
