/**
 * The field of `_meta` in which an MCP call says how many runs there are around it. A server that is Argot counts them as
 * agents, so runs that call each other through servers end.
 */
export const depthKey = 'argot/depth'
