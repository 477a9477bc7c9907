import { createTrustStore } from '@argot/agent/workshop'

/** A process of its own: trusts ten commands of the document, one after the other. */
const [configFolder = '', file = '', name = ''] = process.argv.slice(2)

const store = createTrustStore({ configFolder })
for (let number = 0; number < 10; number++) await store.trust({ file, command: `${name} ${number}` })
