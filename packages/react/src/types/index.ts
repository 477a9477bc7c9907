/** The module that an application augments: `declare module '@argot/react/types' { interface ChatToolDefinitionMap { … } }`. */
export type * from 'argot/types'
