import { createAgent } from '@argot/agent'
import { z } from 'zod'

const agent = createAgent({
  model: 'demo',
  outputSchema: z.object({ city: z.string(), people: z.number().int(), isCapital: z.boolean() }),
})

const result = await agent.run('How large is Oslo? Write 700000 if you do not know.').result
if (result.status === 'done') {
  // The schema gives the type: `city` is a string.
  const { city, people } = result.output!
  console.log(`${city.toUpperCase()} has ${people} people.`)
} else console.error(result)
