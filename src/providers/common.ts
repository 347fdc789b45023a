import type { ProviderSettings } from './settings.ts';

/** The settings that every provider package gets. */
export function settingsOf(settings: ProviderSettings) {
  return {
    ...(settings.baseUrl ? { baseURL: settings.baseUrl } : {}),
    ...(settings.apiKey ? { apiKey: settings.apiKey } : {}),
    ...(settings.headers ? { headers: settings.headers } : {}),
  };
}
