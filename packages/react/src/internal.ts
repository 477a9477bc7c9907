/** Only for packages and apps in this repository: these names change without notice. */
export { Menu } from './box/pickers/menu.tsx'
export { type MenuItem, MenuPopup } from './box/pickers/menu-popup.tsx'
