/** Type tests: presentations are checked against the tools that `chat-samples.ts` registers. */

import type { ToolPresentationMap } from '@argot/react/types'

export const presented: ToolPresentationMap = {
  get_weather: {
    subject: input => input.city?.toUpperCase(),
    summary: call => `${call.output?.temperature.toFixed(0)} °C`,
  },
  book_flight: { subject: 'to' },
  '*': { subject: 'anything', summary: call => String(call.output) },
}

export const misspelt: ToolPresentationMap = {
  // @ts-expect-error no such tool is registered
  get_wether: { subject: 'city' },
}

export const wrongParameter: ToolPresentationMap = {
  // @ts-expect-error the tool has no such parameter
  get_weather: { subject: 'town' },
}

export const wrongOutput: ToolPresentationMap = {
  // @ts-expect-error the output has no such field
  get_weather: { summary: call => call.output?.humidity },
}
