import './styles/base.css';
import './styles/shell.css';
import './styles/kit.css';
import { QueryClientProvider } from '@tanstack/preact-query';
import { render } from 'preact';
import { Router } from 'wouter-preact';
import { App } from './app.tsx';
import { ShownSecrets } from './credentials/show-secret.tsx';
import { language, loadTexts } from './i18n/index.ts';
import { watchPresence } from './presence.ts';
import { createQueryClient } from './query.ts';
import { loadAhead } from './routes.tsx';
import { watchSignInLinks } from './sign-in-link.ts';
import { applyTheme } from './theme.ts';

applyTheme();
watchPresence();
watchSignInLinks();
document.documentElement.lang = language();
loadAhead(location.pathname.slice('/console'.length));
// Where its file is gone, as after an update, the page can still say so in English.
await loadTexts('common').catch(() => {});

const root = document.getElementById('app');
if (!root) throw new Error('index.html has no #app');
render(
  <QueryClientProvider client={createQueryClient()}>
    <Router base="/console">
      <App />
      <ShownSecrets />
    </Router>
  </QueryClientProvider>,
  root,
);
