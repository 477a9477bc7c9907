const looks: Readonly<Record<string, () => Promise<unknown>>> = {
  material: () => import('@argot/react/themes/material.css'),
  shadcn: () => import('@argot/react/themes/shadcn.css'),
  plain: () => import('@argot/react/themes/plain.css'),
}

export const lookNames: readonly string[] = Object.keys(looks)

/** Loads a theme by name. Any other name gives the unthemed look. */
export async function loadLook(name: string | null): Promise<void> {
  if (name === null || !Object.hasOwn(looks, name)) return
  await looks[name]!()
  document.documentElement.classList.toggle('dark', isDark())
}

/** shadcn's dark mode is a class. */
function isDark(): boolean {
  const { theme } = document.documentElement.dataset
  return theme === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark'
}
