import { apiUrl, httpRequest, type RpcName, type RpcRequest } from '../api.ts';
import { t } from '../i18n/index.ts';
import { CopyButton } from './copy.tsx';

interface CurlProps<Name extends RpcName> {
  name: Name;
  request: RpcRequest<Name>;
  /** The shell variable with the credential. */
  credential?: 'MANAGEMENT_KEY' | 'API_KEY' | 'OPERATOR_TOKEN';
}

/** The request behind the page's content, to be run in a terminal. */
export function Curl<Name extends RpcName>({ name, request, credential = 'MANAGEMENT_KEY' }: CurlProps<Name>) {
  const text = curlText(name, request, credential);
  return (
    <details class="curl">
      <summary>{t('common.curl')}</summary>
      <p class="muted small">{t('common.curlHelp')}</p>
      <Code text={text} />
    </details>
  );
}

/** A text of code with a button that copies it. */
export function Code({ text }: { text: string }) {
  return (
    <div class="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} />
    </div>
  );
}

export function curlText<Name extends RpcName>(name: Name, request: RpcRequest<Name>, credential: string): string {
  const { verb, path, body } = httpRequest(name, request);
  return [
    `curl ${verb === 'GET' ? '' : `-X ${verb} `}${quoted(apiUrl(path))}`,
    `-H "Authorization: Bearer $${credential}"`,
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`]),
  ].join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
