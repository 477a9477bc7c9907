import { isRecord } from '@argot/core/stream/internal'

export function toAnthropicModels(json: string): unknown {
  let list: unknown
  try {
    list = JSON.parse(json)
  } catch {
    list = undefined
  }
  const models = isRecord(list) && Array.isArray(list.data) ? list.data.filter(isRecord) : []
  const data = models.map(({ id, created }) => {
    const at = new Date((typeof created === 'number' ? created : 0) * 1000)
    return {
      type: 'model',
      id: String(id),
      display_name: String(id),
      created_at: Number.isNaN(at.getTime()) ? new Date(0).toISOString() : at.toISOString(),
    }
  })
  return { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null }
}
