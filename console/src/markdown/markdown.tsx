import type { Token, Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { CopyButton } from '../ui/copy.tsx';
import './markdown.css';

type Lex = (text: string) => Token[];

let lexer: Lex | undefined;

/** Loaded with the first text, because only two pages need it. */
async function loadLexer(): Promise<Lex> {
  const { Lexer } = await import('marked');
  return (text) => Lexer.lex(text, { gfm: true, breaks: true });
}

/**
 * Markdown as nodes of the page. It produces no HTML: tags in the text are shown as text, images are not loaded, and a link opens only from what
 * a click reveals. Shown as plain text until the Markdown parser has loaded.
 */
export function Markdown({ text }: { text: string }) {
  const [lex, setLex] = useState<Lex | undefined>(() => lexer);
  useEffect(() => {
    if (lex) return;
    loadLexer().then(
      (loaded) => {
        lexer = loaded;
        setLex(() => loaded);
      },
      // The plain text stays.
      () => {},
    );
  }, [lex]);
  return <div class="markdown">{lex ? blocks(lex(text)) : <p class="plain-text">{text}</p>}</div>;
}

function blocks(tokens: readonly Token[] = []): ComponentChildren {
  return tokens.map((token, index) => <Block key={index} token={token as Tokens.Generic} />);
}

function Block({ token }: { token: Tokens.Generic }) {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'hr':
      return <hr />;
    case 'heading':
      return <p class="markdown-heading">{inlines(token.tokens)}</p>;
    case 'code':
      return <CodeBlock text={token.text} language={token.lang} />;
    case 'blockquote':
      return <blockquote>{blocks(token.tokens)}</blockquote>;
    case 'list':
      return <List list={token as Tokens.List} />;
    case 'table':
      return <MarkdownTable table={token as Tokens.Table} />;
    case 'text':
      return <>{token.tokens ? inlines(token.tokens) : token.text}</>;
    default:
      return <p>{token.tokens ? inlines(token.tokens) : token.raw}</p>;
  }
}

function List({ list: { ordered, start, items } }: { list: Tokens.List }) {
  const rows = items.map((item, index) => (
    <li key={index}>
      {item.task && `${item.checked ? '☑' : '☐'} `}
      {blocks(item.tokens.filter(({ type }) => type !== 'checkbox'))}
    </li>
  ));
  return ordered ? <ol start={Number(start) || 1}>{rows}</ol> : <ul>{rows}</ul>;
}

function MarkdownTable({ table: { header, rows } }: { table: Tokens.Table }) {
  return (
    <div class="table-scroll">
      <table class="markdown-table">
        <thead>
          <tr>
            {header.map((cell, index) => (
              <th key={index} scope="col">
                {inlines(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column}>{inlines(cell.tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function CodeBlock({ text, language }: { text: string; language?: string }) {
  return (
    <div class="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <pre tabIndex={0} {...(language && { 'aria-label': language })}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} />
    </div>
  );
}

function inlines(tokens: readonly Token[] = []): ComponentChildren {
  return tokens.map((token, index) => <Inline key={index} token={token as Tokens.Generic} />);
}

function Inline({ token }: { token: Tokens.Generic }) {
  switch (token.type) {
    case 'strong':
      return <strong>{inlines(token.tokens)}</strong>;
    case 'em':
      return <em>{inlines(token.tokens)}</em>;
    case 'del':
      return <del>{inlines(token.tokens)}</del>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'br':
      return <br />;
    case 'link':
      return <InertLink href={token.href}>{inlines(token.tokens)}</InertLink>;
    case 'image':
      return <InertLink href={token.href}>{token.text || token.href}</InertLink>;
    case 'text':
    case 'escape':
      return <>{token.tokens ? inlines(token.tokens) : token.text}</>;
    default:
      return <>{token.raw}</>;
  }
}

/** The text of a link. A click shows where it leads, and only that address can be opened, because a model wrote both. */
function InertLink({ href, children }: { href: string; children: ComponentChildren }) {
  const [shown, setShown] = useState(false);
  if (!/^(https?|mailto):/i.test(href)) return <>{children}</>;
  return (
    <span class="inert-link">
      <button type="button" aria-expanded={shown} title={href} onClick={() => setShown(!shown)}>
        {children}
      </button>
      {shown && (
        <a href={href} target="_blank" rel="noopener noreferrer nofollow" referrerpolicy="no-referrer">
          {t('common.openLink', { address: href })}
        </a>
      )}
    </span>
  );
}
