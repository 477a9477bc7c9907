/**
 * The typed tools of an application, filled by module augmentation:
 *
 *     declare module '@argot/react/types' {
 *       interface ChatToolDefinitionMap {
 *         get_weather: { input: { city: string }; output: { temperature: number } }
 *       }
 *     }
 *
 * What is added here counts in `argot` too.
 */
// biome-ignore lint/suspicious/noEmptyInterface: users add to it
export interface ChatToolDefinitionMap {}

type ToolsOfReact = ChatToolDefinitionMap

declare module 'argot' {
  interface ChatToolDefinitionMap extends ToolsOfReact {}
}
