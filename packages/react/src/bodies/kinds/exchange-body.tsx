import { visibleText } from '@argot/core/stream'
import { visibleLine } from '@argot/core/stream/internal'
import { Fragment, type ReactNode, useId } from 'react'
import { usePartLocale } from '../../locale/part-locale.ts'
import { BodyStateScope, useBodyState } from '../body-state.tsx'
import { JsonBody } from '../json/json-body.tsx'
import { TextBody } from '../text/text-body.tsx'
import type { HttpExchange } from './read-exchange.ts'

export interface ExchangeBodyProps {
  exchange: HttpExchange
}

/** An HTTP request: method, address and status, folded headers, and the body by its type. Markup is shown as text. */
export default function ExchangeBody({ exchange }: ExchangeBodyProps): ReactNode {
  const { body } = usePartLocale()
  const { method, url, status, statusText, headers, type } = exchange
  const [isOpen, setOpen] = useBodyState('headers', false)
  const panel = useId()
  return (
    <div className="argot-exchange" data-part="exchange">
      <p className="argot-exchange-line">
        {method !== undefined && <b>{visibleLine(method)}</b>}
        {url !== undefined && <span className="argot-exchange-url">{visibleLine(url.slice(0, 2000))}</span>}
        <span className={status >= 400 ? 'argot-fail' : undefined}>
          {`${status} ${visibleLine(statusText.slice(0, 100))}`.trim()}
        </span>
      </p>
      {headers.length > 0 && (
        <>
          <button
            type="button"
            className="argot-link argot-start"
            aria-expanded={isOpen}
            aria-controls={isOpen ? panel : undefined}
            onClick={() => setOpen(!isOpen)}
          >
            {body.headers(headers.length)}
          </button>
          {isOpen && (
            <dl id={panel} className="argot-pairs">
              {headers.map(([name, value], index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a header may be there twice
                <Fragment key={index}>
                  <dt>{visibleText(name)}</dt>
                  <dd>{visibleText(value)}</dd>
                </Fragment>
              ))}
            </dl>
          )}
        </>
      )}
      <BodyStateScope name="body">
        <Content body={exchange.body} type={type} />
      </BodyStateScope>
    </div>
  )
}

function Content({ body: content, type }: { body: unknown; type: string | undefined }): ReactNode {
  const name = type === undefined ? undefined : visibleLine(type)
  if (content === undefined || content === null || content === '') return null
  return typeof content === 'string' ? (
    <TextBody text={content} name={name} />
  ) : (
    <JsonBody value={content} name={name} />
  )
}
