import { highlighted } from './bodies/code/highlight.tsx'
import Highlighted from './bodies/code/highlighted.tsx'
import { diffBody } from './bodies/diff/diff.tsx'
import DiffBody from './bodies/diff/diff-body.tsx'
import CompareBody from './bodies/kinds/compare-body.tsx'
import ExchangeBody from './bodies/kinds/exchange-body.tsx'
import { compareBody, exchangeBody, sourcesBody, tableBody, testsBody, traceBody } from './bodies/kinds/kind-body.tsx'
import SourcesBody from './bodies/kinds/sources-body.tsx'
import TableBody from './bodies/kinds/table-body.tsx'
import TestsBody from './bodies/kinds/tests-body.tsx'
import TraceBody from './bodies/kinds/trace-body.tsx'
import Cited from './bodies/markdown/cited.tsx'
import FenceBody from './bodies/markdown/fence-body.tsx'
import { markdownBody } from './bodies/markdown/markdown.tsx'
import MarkdownBody, { cited, fenceBody, mathBlock } from './bodies/markdown/markdown-body.tsx'
import MathBlock from './bodies/markdown/math-block.tsx'
import ApprovalsBar from './box/approvals-bar.tsx'
import TurnChanges from './box/changes/turn-changes.tsx'
import { approvalsBar } from './box/chat-box.tsx'
import { widgetTurn } from './box/chat-message-content.tsx'
import FilePicture from './box/composer/file-picture.tsx'
import { filePicture } from './box/log/other-item.tsx'
import { turnChanges } from './box/log/turn-end.tsx'
import WidgetTurn from './box/widget-turn.tsx'
import ApprovalCard from './parts/approval/approval-card.tsx'
import AskUser from './parts/approval/ask-user.tsx'
import CallBody from './parts/call-body.tsx'
import { approvalCard, askUser, callBody, subRows, thumbnail } from './parts/lazy-parts.ts'
import { timeStrip } from './parts/run/run-line.tsx'
import TimeStrip from './parts/run/time-strip.tsx'
import SubRows from './parts/sub-rows.tsx'
import Thumbnail from './parts/thumbnail.tsx'

// `renderToString` doesn't wait: outside browsers, everything that a first render may show is loaded with the package.
highlighted.loaded = Highlighted
diffBody.loaded = DiffBody
markdownBody.loaded = MarkdownBody
fenceBody.loaded = FenceBody
mathBlock.loaded = MathBlock
cited.loaded = Cited
testsBody.loaded = TestsBody
traceBody.loaded = TraceBody
tableBody.loaded = TableBody
sourcesBody.loaded = SourcesBody
exchangeBody.loaded = ExchangeBody
compareBody.loaded = CompareBody
approvalsBar.loaded = ApprovalsBar
turnChanges.loaded = TurnChanges
widgetTurn.loaded = WidgetTurn
filePicture.loaded = FilePicture
approvalCard.loaded = ApprovalCard
askUser.loaded = AskUser
callBody.loaded = CallBody
subRows.loaded = SubRows
thumbnail.loaded = Thumbnail
timeStrip.loaded = TimeStrip
