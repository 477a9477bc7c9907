/**
 * Copies a text to the clipboard; false if the browser refuses. Insecure pages have no `navigator.clipboard`, so the
 * text is selected in an element outside the view and copied from there.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    if (navigator.clipboard !== undefined) {
      await navigator.clipboard.writeText(text)
      return true
    }
  } catch {
    // Not allowed or not focused: the older way may still work.
  }
  return copyBySelection(text)
}

function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea')
  const focused = document.activeElement
  field.value = text
  field.readOnly = true
  field.className = 'argot-hidden'
  field.setAttribute('aria-hidden', 'true')
  document.body.append(field)
  field.select()
  try {
    return document.execCommand('copy')
  } catch {
    return false
  } finally {
    field.remove()
    if (focused instanceof HTMLElement) focused.focus()
  }
}
