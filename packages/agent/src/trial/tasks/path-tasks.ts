import { number, type TaskSource, text, tool, whole } from './task-source.ts'
import { convertCurrency, getOrder, getPrice, getWeather, twelveTools } from './tools.ts'

export const amongTwelveTools: readonly TaskSource[] = [
  {
    name: 'cancel',
    prompt: 'Please cancel my order B-77.',
    tools: twelveTools,
    calls: [{ tool: 'cancel_order', input: { order_id: 'B-77' }, output: 'The order B-77 was cancelled.' }],
  },
  {
    name: 'translate',
    prompt: 'Translate "good morning" into Japanese.',
    tools: twelveTools,
    calls: [
      {
        tool: 'translate_text',
        input: { text: { $text: 'good morning' }, language: 'ja' },
        output: 'おはようございます',
      },
    ],
    answer: ['おはようございます'],
  },
  {
    name: 'share-price',
    prompt: 'What does a share with the symbol NOVA cost?',
    tools: twelveTools,
    calls: [{ tool: 'get_share_price', input: { symbol: 'NOVA' }, output: { dollars: 81.4 } }],
    answer: [['81.4', '81.40']],
  },
  {
    name: 'train-not-flight',
    prompt: 'I want to go from Basel to Milan by train on 2031-05-04. When does it leave?',
    tools: twelveTools,
    calls: [
      {
        tool: 'find_train',
        input: { from: { $contains: 'Basel' }, to: { $contains: 'Milan' }, date: '2031-05-04' },
        output: { departure: '08:28', arrival: '12:50' },
      },
    ],
    answer: [['08:28', '8:28']],
  },
  {
    name: 'heating',
    prompt: 'Heat the bedroom to 19.5 degrees.',
    tools: twelveTools,
    calls: [{ tool: 'set_temperature', input: { room: { $text: 'bedroom' }, celsius: 19.5 }, output: 'Done.' }],
  },
]

const bookRoom = tool('book_room', 'Books a meeting room for one hour.', {
  room: text('The room, such as A1.'),
  time: text('When it begins, as HH:MM.'),
})
const setHeating = tool('set_heating', 'Sets the temperature of the heating.', {
  celsius: number('The temperature in degrees Celsius.'),
})
const unlockFile = tool('unlock_file', 'Unlocks a file.', { name: text('The name of the file.') })
const deleteFile = tool('delete_file', 'Deletes a file.', { name: text('The name of the file.') })

export const afterAnError: readonly TaskSource[] = [
  {
    name: 'room-taken',
    prompt: 'Book the room B2 at 10:00. If it is taken, book the free room that you are told about instead.',
    tools: [bookRoom],
    calls: [
      { tool: 'book_room', input: { room: 'B2', time: '10:00' }, error: 'B2 is taken at 10:00. The room B5 is free.' },
      { tool: 'book_room', input: { room: 'B5', time: '10:00' }, output: 'B5 is booked at 10:00.' },
    ],
    answer: ['B5'],
  },
  {
    name: 'order-number',
    prompt: 'Where is my order 1042? If the number is not accepted, correct it as the error says and try again.',
    tools: [getOrder],
    calls: [
      {
        tool: 'get_order',
        input: { order_id: '1042' },
        error: 'There is no order "1042". The number must begin with "A-", as in "A-1042".',
      },
      { tool: 'get_order', input: { order_id: 'A-1042' }, output: { status: 'at the depot in Ghent' } },
    ],
    answer: ['Ghent'],
  },
  {
    name: 'busy',
    prompt: 'What is the temperature in Lima? If the service is busy, simply try again.',
    tools: [getWeather],
    calls: [
      { tool: 'get_weather', input: { city: { $contains: 'Lima' } }, error: 'The service is busy. Try again now.' },
      { tool: 'get_weather', input: { city: { $contains: 'Lima' } }, output: { celsius: 19 } },
    ],
    answer: ['19'],
  },
  {
    name: 'locked-file',
    prompt: 'Delete the file report.txt. If it is locked, unlock it first and then delete it.',
    tools: [unlockFile, deleteFile],
    calls: [
      { tool: 'delete_file', input: { name: 'report.txt' }, error: 'report.txt is locked. Unlock it first.' },
      { tool: 'unlock_file', input: { name: 'report.txt' }, output: 'report.txt is unlocked.' },
      { tool: 'delete_file', input: { name: 'report.txt' }, output: 'report.txt was deleted.' },
    ],
  },
  {
    name: 'too-hot',
    prompt: 'Set the heating to 35 degrees. If that is refused, set it to the highest temperature that is allowed.',
    tools: [setHeating],
    calls: [
      { tool: 'set_heating', input: { celsius: 35 }, error: '35 is refused: at most 28 degrees are allowed.' },
      { tool: 'set_heating', input: { celsius: 28 }, output: 'The heating is set to 28 degrees.' },
    ],
    answer: ['28'],
  },
]

const findPerson = tool('find_person', 'Finds a person by name and gives their id.', { name: text('The full name.') })
const getContact = tool('get_contact', 'Gives the e-mail address of a person.', { person_id: text('The id.') })
const sendEmail = tool('send_email', 'Sends an e-mail.', {
  to: text('The e-mail address.'),
  subject: text('The subject.'),
})
const listOffers = tool('list_offers', 'Lists the offers with their prices. Takes no arguments.', {})
const buyOffer = tool('buy_offer', 'Buys an offer.', { offer_id: text('The id of the offer.') })
const readEntry = tool('read_entry', 'Reads an entry of the archive.', { key: text('The key of the entry.') })
const refund = tool('refund', 'Pays money back to a customer.', {
  customer_id: text('The id of the customer.'),
  cents: whole('How much, in cents.'),
})
const getCustomerOrder = tool('get_customer_order', 'Looks up an order: its customer and its total.', {
  order_id: text('The number of the order.'),
})

export const severalSteps: readonly TaskSource[] = [
  {
    name: 'find-and-write',
    prompt: 'Send Ana Ruiz an e-mail with the subject "Minutes". You have to look up her id, and then her address.',
    tools: [findPerson, getContact, sendEmail],
    calls: [
      { tool: 'find_person', input: { name: { $text: 'Ana Ruiz' } }, output: { person_id: 'p-31' } },
      { tool: 'get_contact', input: { person_id: 'p-31' }, output: { email: 'a.ruiz@example.org' } },
      { tool: 'send_email', input: { to: 'a.ruiz@example.org', subject: { $text: 'Minutes' } }, output: 'Sent.' },
    ],
  },
  {
    name: 'buy-the-cheapest',
    prompt: 'Look at the offers and buy the cheapest one. Tell me its id.',
    tools: [listOffers, buyOffer],
    calls: [
      {
        tool: 'list_offers',
        input: {},
        output: [
          { offer_id: 'o-11', euros: 40 },
          { offer_id: 'o-12', euros: 31 },
          { offer_id: 'o-13', euros: 52 },
        ],
      },
      { tool: 'buy_offer', input: { offer_id: 'o-12' }, output: 'Bought.' },
    ],
    answer: ['o-12'],
  },
  {
    name: 'trail',
    prompt:
      'Read the entry "start" of the archive. Each entry names the next one. Follow them to the end, and tell me the word in the last entry.',
    tools: [readEntry],
    calls: [
      { tool: 'read_entry', input: { key: 'start' }, output: { next: 'k7' } },
      { tool: 'read_entry', input: { key: 'k7' }, output: { next: 'm-204' } },
      { tool: 'read_entry', input: { key: 'm-204' }, output: { next: 'end.9' } },
      { tool: 'read_entry', input: { key: 'end.9' }, output: { word: 'heron' } },
    ],
    answer: ['heron'],
  },
  {
    name: 'price-in-dollars',
    prompt: 'What does the product Lamp Alba cost in US dollars (USD)? Its price is in euros (EUR).',
    tools: [getPrice, convertCurrency],
    calls: [
      { tool: 'get_price', input: { product: { $contains: 'Alba' } }, output: { euros: 80 } },
      { tool: 'convert_currency', input: { amount: 80, from: 'EUR', to: 'USD' }, output: { amount: 86.83 } },
    ],
    answer: ['86.83'],
  },
  {
    name: 'refund',
    prompt: 'Pay the whole total of the order C-9 back to its customer.',
    tools: [getCustomerOrder, refund],
    calls: [
      { tool: 'get_customer_order', input: { order_id: 'C-9' }, output: { customer_id: 'u-502', total_cents: 1995 } },
      { tool: 'refund', input: { customer_id: 'u-502', cents: 1995 }, output: 'Paid back.' },
    ],
  },
]
