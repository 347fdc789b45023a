import { curlText } from '../ui/curl.tsx';

/** The embedded model answers only from the conversation, so the answer is in it. */
const question = {
  messages: [{ role: 'user', content: 'Paris is the capital of France. What is the capital of France?' }],
};

/** The first request with a new key, ready to be pasted into a terminal except for the key. */
export function firstCallText(): string {
  return `export API_KEY='ik_live_...'\n\n${curlText('ChatService.Chat', question, 'API_KEY')}`;
}
