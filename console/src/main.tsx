import './styles/base.css';
import './styles/shell.css';
import './styles/kit.css';
import { QueryClientProvider } from '@tanstack/preact-query';
import { options, render } from 'preact';
import { Router } from 'wouter-preact';
import { App } from './app.tsx';
import { ShownSecrets } from './credentials/show-secret.tsx';
import { language, loadTexts } from './i18n/index.ts';
import { watchPresence } from './presence.ts';
import { createQueryClient } from './query.ts';
import { loadAhead } from './routes.tsx';
import { sessionQuery } from './session.tsx';
import { watchSignInLinks } from './sign-in-link.ts';
import { applyTheme } from './theme.ts';
import { askBeforeLeaving, watchUnsaved } from './unsaved.ts';

applyTheme();
watchPresence();
watchUnsaved();
watchSignInLinks();
document.documentElement.lang = language();
// Effects run before the frame is drawn, not after it, so that a page's reads are sent that much earlier.
options.requestAnimationFrame = queueMicrotask;

const client = createQueryClient();
// Everything that the first view needs is requested at once, and rendered once. Failures are reported where they are shown: texts that are gone,
// as after an update, appear in English. Not awaited here: pages import from this script's file and would wait for it, and it for them.
void Promise.allSettled([
  client.prefetchQuery(sessionQuery),
  loadAhead(location.pathname.slice('/console'.length)),
  loadTexts('common'),
]).then(draw);

function draw(): void {
  const root = document.getElementById('app');
  if (!root) throw new Error('index.html has no #app');
  root.replaceChildren();
  render(
    <QueryClientProvider client={client}>
      <Router base="/console" aroundNav={askBeforeLeaving}>
        <App />
        <ShownSecrets />
      </Router>
    </QueryClientProvider>,
    root,
  );
}
