import type { TaskTool } from '../task.ts'
import { choice, flag, number, text, tool, whole } from './task-source.ts'

/* Tools that several tasks share. */

export const getWeather: TaskTool = tool('get_weather', 'Gives the current weather in a city.', {
  city: text('The name of the city, such as Lisbon.'),
})

export const getTime: TaskTool = tool('get_time', 'Gives the local time in a city.', {
  city: text('The name of the city, such as Lisbon.'),
})

export const convertCurrency: TaskTool = tool(
  'convert_currency',
  'Converts an amount of money into another currency.',
  {
    amount: number('How much money.'),
    from: text('The three-letter code of its currency, such as CHF.'),
    to: text('The three-letter code of the other currency, such as JPY.'),
  },
)

export const getOrder: TaskTool = tool('get_order', 'Looks up an order of the customer.', {
  order_id: text('The number of the order.'),
})

export const cancelOrder: TaskTool = tool('cancel_order', 'Cancels an order for good.', {
  order_id: text('The number of the order.'),
})

export const setLight: TaskTool = tool('set_light', 'Sets the light in a room.', {
  room: text('The room, in lowercase, such as hall.'),
  on: flag('Whether the light is on.'),
  brightness: whole('The brightness in percent, from 0 to 100.'),
})

export const sendMessage: TaskTool = tool('send_message', 'Sends a text message to a contact.', {
  to: text('The first name of the contact.'),
  text: text('The message.'),
})

export const saveNote: TaskTool = tool('save_note', 'Saves a note. The body is stored exactly as given.', {
  title: text('The title of the note.'),
  body: text('The body of the note.'),
})

export const getPrice: TaskTool = tool('get_price', 'Gives the price of a product.', {
  product: text('The name of the product.'),
})

export const findTrain: TaskTool = tool('find_train', 'Finds a train between two cities.', {
  from: text('The city where the journey begins.'),
  to: text('The city where it ends.'),
  date: text('The day of the journey, as YYYY-MM-DD.'),
})

/** Twelve tools to choose from; some are easily confused. */
export const twelveTools: readonly TaskTool[] = [
  getWeather,
  getTime,
  convertCurrency,
  getOrder,
  cancelOrder,
  sendMessage,
  findTrain,
  tool('find_flight', 'Finds a flight between two cities.', {
    from: text('The city where the journey begins.'),
    to: text('The city where it ends.'),
    date: text('The day of the journey, as YYYY-MM-DD.'),
  }),
  tool('translate_text', 'Translates a text.', {
    text: text('The text to translate.'),
    language: choice(['de', 'es', 'fr', 'it', 'ja'], 'The code of the language to translate into.'),
  }),
  tool('get_share_price', 'Gives the price of a share on the stock exchange.', {
    symbol: text('The ticker symbol, in capitals.'),
  }),
  tool('set_temperature', 'Sets the temperature that the heating keeps in a room.', {
    room: text('The room, in lowercase, such as hall.'),
    celsius: number('The temperature in degrees Celsius.'),
  }),
  tool('count_words', 'Counts the words in a text file of the user.', {
    path: text('The path of the file.'),
  }),
]
