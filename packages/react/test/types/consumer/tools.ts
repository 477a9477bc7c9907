import '@argot/react/types'

declare module '@argot/react/types' {
  interface ChatToolDefinitionMap {
    get_weather: {
      input: { city: string }
      output: { temperature: number; condition: string }
    }
    search_docs: {
      input: { query: string; limit?: number }
      output: { results: Array<{ title: string; url: string }> }
    }
  }
}
