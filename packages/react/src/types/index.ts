/** Tools by name, to be extended by module augmentation: `declare module '@argot/react/types' { interface ChatToolDefinitionMap { … } }`. */
// biome-ignore lint/suspicious/noEmptyInterface: users add to it
export interface ChatToolDefinitionMap {}
