import { type TaskSource, text, tool } from './task-source.ts'
import { convertCurrency, getOrder, getPrice, getTime, getWeather, sendMessage, setLight } from './tools.ts'

export const oneCall: readonly TaskSource[] = [
  {
    name: 'weather',
    prompt: 'What is the weather in Oslo right now? Tell me the temperature.',
    tools: [getWeather, getTime],
    calls: [{ tool: 'get_weather', input: { city: { $contains: 'Oslo' } }, output: { celsius: 17, sky: 'cloudy' } }],
    answer: ['17'],
  },
  {
    name: 'currency',
    prompt: 'How many US dollars (USD) do I get for 250 euros (EUR)?',
    tools: [convertCurrency, getPrice],
    calls: [{ tool: 'convert_currency', input: { amount: 250, from: 'EUR', to: 'USD' }, output: { amount: 271.35 } }],
    answer: ['271.35'],
  },
  {
    name: 'order-status',
    prompt: 'When will my order A-1042 arrive?',
    tools: [getOrder],
    calls: [{ tool: 'get_order', input: { order_id: 'A-1042' }, output: { status: 'shipped', arrives: 'Friday' } }],
    answer: ['Friday'],
  },
  {
    name: 'light-on',
    prompt: 'Turn the light in the kitchen on, at 40 percent.',
    tools: [setLight],
    calls: [{ tool: 'set_light', input: { room: { $text: 'kitchen' }, on: true, brightness: 40 }, output: 'Done.' }],
  },
  {
    name: 'no-arguments',
    prompt: 'Under which name am I signed in?',
    tools: [tool('get_signed_in_user', 'Gives the user who is signed in. Takes no arguments.', {})],
    calls: [{ tool: 'get_signed_in_user', input: {}, output: { name: 'Mira Voss' } }],
    answer: ['Mira Voss'],
  },
]

const getStock = tool('get_stock', 'Gives how many pieces of an article are in the warehouse.', {
  article: text('The number of the article.'),
})

export const severalCalls: readonly TaskSource[] = [
  {
    name: 'three-cities',
    prompt: 'Compare the weather in Rome, Cairo and Bergen: tell me the temperature in each.',
    tools: [getWeather],
    order: 'any',
    calls: [
      { tool: 'get_weather', input: { city: { $contains: 'Rome' } }, output: { celsius: 24 } },
      { tool: 'get_weather', input: { city: { $contains: 'Cairo' } }, output: { celsius: 33 } },
      { tool: 'get_weather', input: { city: { $contains: 'Bergen' } }, output: { celsius: 9 } },
    ],
    answer: ['24', '33', '9'],
  },
  {
    name: 'two-messages',
    prompt: 'Send Ana the message "I am late" and send Ben the message "Start without me".',
    tools: [sendMessage],
    order: 'any',
    calls: [
      { tool: 'send_message', input: { to: { $text: 'Ana' }, text: { $contains: 'I am late' } }, output: 'Sent.' },
      {
        tool: 'send_message',
        input: { to: { $text: 'Ben' }, text: { $contains: 'Start without me' } },
        output: 'Sent.',
      },
    ],
  },
  {
    name: 'lights-off',
    prompt: 'Turn the light off in the kitchen, the hall and the office. Use the brightness 0.',
    tools: [setLight],
    order: 'any',
    calls: ['kitchen', 'hall', 'office'].map(room => ({
      tool: 'set_light',
      input: { room: { $text: room }, on: false, brightness: 0 },
      output: 'Done.',
    })),
  },
  {
    name: 'cheapest-of-four',
    prompt:
      'Which of these products is the cheapest: Lamp Alba, Lamp Brio, Lamp Cora or Lamp Dune? Look up all four prices.',
    tools: [getPrice],
    order: 'any',
    calls: [
      { tool: 'get_price', input: { product: { $contains: 'Alba' } }, output: { euros: 49 } },
      { tool: 'get_price', input: { product: { $contains: 'Brio' } }, output: { euros: 62 } },
      { tool: 'get_price', input: { product: { $contains: 'Cora' } }, output: { euros: 35 } },
      { tool: 'get_price', input: { product: { $contains: 'Dune' } }, output: { euros: 58 } },
    ],
    answer: ['Cora'],
  },
  {
    name: 'out-of-stock',
    prompt: 'Check the stock of the articles 7001, 7002, 7003, 7004 and 7005. Which one is out of stock?',
    tools: [getStock],
    order: 'any',
    calls: [
      ['7001', 12],
      ['7002', 3],
      ['7003', 40],
      ['7004', 0],
      ['7005', 8],
    ].map(([article, pieces]) => ({ tool: 'get_stock', input: { article }, output: { pieces } })),
    answer: ['7004'],
  },
]

export const noCall: readonly TaskSource[] = [
  {
    name: 'known-fact',
    prompt: 'What is the capital of France? Answer in one sentence.',
    tools: [getWeather, getTime],
    calls: [],
    answer: ['Paris'],
  },
  {
    name: 'simple-sum',
    prompt: 'What is 2 + 3?',
    tools: [convertCurrency, getPrice],
    calls: [],
    answer: [['5', 'five']],
  },
  {
    name: 'given-in-the-text',
    prompt:
      'My weather station shows 12 degrees in Oslo at the moment. Is that more than 10 degrees? Answer yes or no.',
    tools: [getWeather],
    calls: [],
    answer: ['yes'],
  },
  {
    name: 'thanks',
    prompt: 'Thank you, that is all for today. Just say goodbye.',
    tools: [sendMessage, setLight],
    calls: [],
    answer: [['goodbye', 'bye', 'good-bye', 'farewell', 'take care', 'see you']],
  },
  {
    name: 'no-tool-fits',
    prompt: 'Only if you have a tool that plays music, play some jazz. Otherwise say that you cannot.',
    tools: [getTime, setLight, sendMessage],
    calls: [],
  },
]
