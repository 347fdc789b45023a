import './styles/base.css';
import './styles/shell.css';
import './styles/kit.css';
import { QueryClientProvider } from '@tanstack/preact-query';
import { render } from 'preact';
import { Router } from 'wouter-preact';
import { App } from './app.tsx';
import { ShownSecrets } from './credentials/show-secret.tsx';
import { language, loadTexts } from './i18n/index.ts';
import { createQueryClient } from './query.ts';
import { applyTheme } from './theme.ts';

applyTheme();
document.documentElement.lang = language();
await loadTexts('common');

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
