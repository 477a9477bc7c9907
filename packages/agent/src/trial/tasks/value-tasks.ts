import { choice, flag, list, number, record, type TaskSource, text, tool, whole } from './task-source.ts'
import { convertCurrency, getTime, saveNote } from './tools.ts'

const createEvent = tool('create_event', 'Creates an event in the calendar.', {
  title: text('The title.'),
  start: text('When it begins, as YYYY-MM-DDTHH:MM.'),
  minutes: whole('How long it takes.'),
  place: record({ building: text('The building.'), room: whole('The number of the room.') }, 'Where it is.'),
  guests: list(
    record({ name: text('The name.'), email: text('The e-mail address.') }, 'A guest.'),
    'Who is invited, in the order given.',
  ),
})

const createInvoice = tool('create_invoice', 'Creates an invoice.', {
  customer: record(
    {
      name: text('The name.'),
      address: record({ street: text('Street and number.'), city: text('The city.') }, 'The address.'),
    },
    'Who pays.',
  ),
  lines: list(
    record(
      { item: text('What was sold.'), quantity: whole('How many.'), price: number('The price of one, in euros.') },
      'A line.',
    ),
    'What was sold, in the order given.',
  ),
  paid: flag('Whether it has been paid.'),
})

const setServer = tool('configure_server', 'Changes the configuration of a server.', {
  name: text('The name of the server.'),
  settings: record(
    {
      tls: record({ enabled: flag('Whether it is on.'), port: whole('The port.') }, 'Encryption.'),
      hosts: list(text('A host name.'), 'The host names, in the order given.'),
      limits: record({ seconds: number('The time limit.'), retries: whole('How often to try again.') }, 'The limits.'),
    },
    'The settings.',
  ),
})

const drawLine = tool('draw_line', 'Draws a line through points.', {
  points: list(list(number('A coordinate.'), 'A point: x, then y.'), 'The points, in the order given.'),
  closed: flag('Whether the last point is joined to the first.'),
  style: record({ colour: text('The colour.'), width: number('The width.') }, 'How it looks.'),
})

const saveFilter = tool('save_filter', 'Saves a filter for orders.', {
  name: text('The name of the filter.'),
  conditions: list(
    record(
      {
        field: choice(['status', 'country', 'total'], 'The field.'),
        operator: choice(['is', 'is_not', 'more_than'], 'The operator.'),
        values: list(text('A value.'), 'The values, in the order given. Numbers are written as text.'),
      },
      'A condition.',
    ),
    'The conditions, in the order given.',
  ),
})

export const nestedArguments: readonly TaskSource[] = [
  {
    name: 'event',
    prompt:
      'Put "Budget review" into my calendar: 2031-03-14 at 09:30, 45 minutes, building Nord, room 204. Invite Ana Ruiz (ana@example.com) and Ben Osei (ben@example.com).',
    tools: [createEvent, getTime],
    calls: [
      {
        tool: 'create_event',
        input: {
          title: { $text: 'Budget review' },
          start: { $oneOf: ['2031-03-14T09:30', '2031-03-14T09:30:00'] },
          minutes: 45,
          place: { building: { $contains: 'Nord' }, room: 204 },
          guests: [
            { name: 'Ana Ruiz', email: 'ana@example.com' },
            { name: 'Ben Osei', email: 'ben@example.com' },
          ],
        },
        output: { id: 'ev-1' },
      },
    ],
  },
  {
    name: 'invoice',
    prompt:
      'Create an invoice for Lena Park, 12 Mill Lane, Leeds: 3 chairs at 49.50 euros each and 1 desk at 220 euros. It has not been paid yet.',
    tools: [createInvoice, convertCurrency],
    calls: [
      {
        tool: 'create_invoice',
        input: {
          customer: { name: 'Lena Park', address: { street: '12 Mill Lane', city: 'Leeds' } },
          lines: [
            { item: { $oneOf: [{ $text: 'chair' }, { $text: 'chairs' }] }, quantity: 3, price: 49.5 },
            { item: { $oneOf: [{ $text: 'desk' }, { $text: 'desks' }] }, quantity: 1, price: 220 },
          ],
          paid: false,
        },
        output: { invoice: 'R-88' },
      },
    ],
  },
  {
    name: 'server-settings',
    prompt:
      'Configure the server "edge-3": encryption on at port 8443, host names a.example.com and b.example.com, a time limit of 2.5 seconds, and 3 retries.',
    tools: [setServer],
    calls: [
      {
        tool: 'configure_server',
        input: {
          name: 'edge-3',
          settings: {
            tls: { enabled: true, port: 8443 },
            hosts: ['a.example.com', 'b.example.com'],
            limits: { seconds: 2.5, retries: 3 },
          },
        },
        output: 'Saved.',
      },
    ],
  },
  {
    name: 'points',
    prompt:
      'Draw an open line through the points (0, 0), (1.5, -2) and (4, 3.25). Its colour is "red" and its width is 0.5.',
    tools: [drawLine],
    calls: [
      {
        tool: 'draw_line',
        input: {
          points: [
            [0, 0],
            [1.5, -2],
            [4, 3.25],
          ],
          closed: false,
          style: { colour: { $text: 'red' }, width: 0.5 },
        },
        output: 'Drawn.',
      },
    ],
  },
  {
    name: 'filter',
    prompt:
      'Save a filter called "Big open orders" with three conditions, in this order: status is "open" or "waiting"; country is not "CH"; total is more than "1000".',
    tools: [saveFilter],
    calls: [
      {
        tool: 'save_filter',
        input: {
          name: { $text: 'Big open orders' },
          conditions: [
            { field: 'status', operator: 'is', values: ['open', 'waiting'] },
            { field: 'country', operator: 'is_not', values: ['CH'] },
            { field: 'total', operator: 'more_than', values: ['1000'] },
          ],
        },
        output: 'Saved.',
      },
    ],
  },
]

function noteTask(name: string, title: string, body: string): TaskSource {
  return {
    name,
    prompt: `Save a note with the title "${title}". Its body is exactly the text between the two lines of equals signs, without these lines:\n\n=====\n${body}\n=====`,
    tools: [saveNote],
    calls: [{ tool: 'save_note', input: { title: { $text: title }, body: { $lines: body } }, output: 'Saved.' }],
  }
}

export const quotesAndNewlines: readonly TaskSource[] = [
  noteTask('both-quotes', 'Quotes', `She said "it's fine" and 'never "mind"'.`),
  noteTask(
    'program',
    'Program',
    [
      'def greet(name):',
      '    if name == "":',
      "        return 'Hello, \\'you\\''",
      '',
      '    return f"Hello, {name}!\\n"',
    ].join('\n'),
  ),
  noteTask('backslashes', 'Paths', 'C:\\new\\table\\report.txt\n\\\\server\\share\\'),
  noteTask('json-in-text', 'Settings', '{"path": "C:\\\\temp", "tags": ["a", "b\\n"], "on": true}'),
  noteTask(
    'markup',
    'Markup',
    '<b class="x">Fish & Chips</b> <br/>\n\n```js\nconst a = `b` + "c" < d\n```\n\n> Grüße 🙂 “quoted” – 100 %',
  ),
]
