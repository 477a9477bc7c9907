export const templates = {
  next: 'Next with useChat and tool cards',
  vite: 'Vite with ChatBox',
  server: 'A plain server, for any client',
} as const

export type TemplateName = keyof typeof templates

export function isTemplate(name: string): name is TemplateName {
  return Object.hasOwn(templates, name)
}
