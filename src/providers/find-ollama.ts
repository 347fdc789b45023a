import { request } from 'undici';
import { z } from 'zod';

const tagsSchema = z.object({ models: z.array(z.object({ name: z.string() })) });
const findMs = 500;
const modelsMax = 100;

/** The model names of an Ollama running at `url`; empty if nothing, or something else, answers there. */
export async function findOllamaModels(url: string): Promise<string[]> {
  try {
    const { statusCode, body } = await request(`${url}/api/tags`, { signal: AbortSignal.timeout(findMs) });
    const text = await body.text();
    if (statusCode !== 200) return [];
    return tagsSchema
      .parse(JSON.parse(text))
      .models.map(({ name }) => name)
      .filter((name) => /^[A-Za-z0-9][\w.:/-]{0,127}$/.test(name))
      .slice(0, modelsMax);
  } catch {
    return [];
  }
}
