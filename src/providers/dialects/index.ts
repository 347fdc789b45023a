import type { ProviderKind } from '../settings.ts';
import { anthropic } from './anthropic.ts';
import { chatCompletions } from './chat-completions.ts';
import type { Dialect } from './dialect.ts';
import { embedded } from './embedded.ts';
import { google } from './google.ts';
import { openai } from './openai.ts';

export type {
  AskedModel,
  Dialect,
  ReasoningWish,
  ReasoningWords,
  Setting,
  StatedInput,
  Unsupported,
} from './dialect.ts';

export const dialects: Readonly<Record<ProviderKind, Dialect>> = {
  builtin: embedded,
  openai,
  anthropic,
  google,
  'openai-compatible': chatCompletions,
};
