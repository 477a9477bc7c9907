export { moreWords as default } from '@argot/core/stream/internal'
