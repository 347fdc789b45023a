import type { Picture } from './conversation.ts';

/** The types that the API accepts. */
export const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

/** Per file; four of them, in base64, fit into one request. */
const bytesMax = 2_000_000;

/** A file as the API accepts it, or why it cannot be used. */
export async function readPicture(file: File): Promise<Picture | 'pictureType' | 'pictureSize'> {
  if (!(pictureTypes as readonly string[]).includes(file.type)) return 'pictureType';
  if (file.size > bytesMax) return 'pictureSize';
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return { name: file.name, mediaType: file.type, data: btoa(text) };
}
