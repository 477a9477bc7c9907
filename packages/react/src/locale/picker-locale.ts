export interface PickerLocale {
  /** The accessible name of the picker's button: "Model: demo". */
  model: (name: string) => string
  /** The choice to pick no model. */
  usualModel: string
  otherModel: string
  otherModelName: string
  useModel: string
  cancel: string
  lookingForModels: string
  threads: string
  noThreads: string
  /** The accessible name of the button that opens a thread's menu. */
  threadMenu: (title: string) => string
  rename: string
  /** The accessible name of the field for a new title. */
  newTitle: (title: string) => string
  threadStates: Readonly<Record<'running' | 'waiting' | 'failed', string>>
}
