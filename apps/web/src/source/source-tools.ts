/** What reads ChatMD; loaded with the first source. */
export { checkChatMd, findFixes, formatChatMd } from '@argot/core/chatmd'
