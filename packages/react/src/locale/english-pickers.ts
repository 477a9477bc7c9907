import type { PickerLocale } from './picker-locale.ts'

export const englishPickers: PickerLocale = {
  model: name => `Model: ${name}`,
  usualModel: 'Default',
  otherModel: 'Another model …',
  otherModelName: 'Its name, as PROVIDER:NAME',
  useModel: 'Use it',
  cancel: 'Cancel',
  lookingForModels: 'Looking for models …',
  threads: 'Conversations',
  noThreads: 'No conversations yet',
  threadMenu: title => `More: ${title}`,
  rename: 'Rename',
  newTitle: title => `New title for ${title}`,
  threadStates: { running: 'Working', waiting: 'Needs you', failed: 'Failed' },
}
