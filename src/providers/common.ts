import type { ProviderSettings } from './settings.ts';

/** What each provider package is told of a provider. */
export function settingsOf(settings: ProviderSettings) {
  return {
    ...(settings.baseUrl ? { baseURL: settings.baseUrl } : {}),
    ...(settings.apiKey ? { apiKey: settings.apiKey } : {}),
    ...(settings.headers ? { headers: settings.headers } : {}),
  };
}
