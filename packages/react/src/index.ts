export type { ChatToolDefinitionMap } from './types/index.ts'
