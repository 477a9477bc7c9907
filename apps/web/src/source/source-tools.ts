/** Reads ChatMD; loaded with the first source. */
export { checkChatMd, formatChatMd } from '@argot/core/chatmd'
export { findFixes } from '@argot/core/chatmd/internal'
