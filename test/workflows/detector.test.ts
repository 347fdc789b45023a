import { eld } from 'eld/small';
import { expect, test } from 'vitest';
import { detect } from '../../src/workflows/text/detector.ts';
import { seededRandom } from '../faults/protocol.ts';

const sentences = [
  'The delivery was late, but nobody told us why it hadn’t been sent on Monday.',
  'Die Lieferung kam zu spät, und niemand hat uns gesagt, warum sie nicht früher verschickt wurde.',
  'La livraison était en retard, mais personne ne nous a dit pourquoi elle n’avait pas été envoyée.',
  'La entrega llegó tarde, pero nadie nos dijo por qué no se había enviado el lunes.',
  'A entrega atrasou, mas ninguém nos disse porque não tinha sido enviada.',
  'La consegna era in ritardo, ma nessuno ci ha detto perché non fosse partita.',
  'De levering was te laat, maar niemand vertelde ons waarom.',
  'Dostawa się spóźniła, ale nikt nam nie powiedział dlaczego.',
  'Доставка опоздала, но никто не сказал нам почему её не отправили.',
  'Доставката закъсня, но никой не ни каза защо.',
  'Teslimat gecikti ama kimse bize nedenini söylemedi. İstanbul’dan ISPARTA’ya.',
  'Η παράδοση καθυστέρησε, ΑΛΛΑ ΚΑΝΕΙΣ δεν μας είπε γιατί.',
  'تأخر التسليم لكن لم يخبرنا أحد بالسبب',
  'המשלוח איחר אבל אף אחד לא אמר לנו למה',
  'მიწოდება დაგვიანდა, მაგრამ არავის უთქვამს რატომ',
  'Առաքումը ուշացավ, բայց ոչ ոք մեզ չասաց, թե ինչու',
  '配送が遅れましたが、誰も理由を教えてくれませんでした。',
  '送货晚了，但没有人告诉我们为什么。',
  '배송이 늦었지만 아무도 이유를 말해주지 않았습니다.',
  'การจัดส่งล่าช้าแต่ไม่มีใครบอกเราว่าทำไม',
  'डिलीवरी में देरी हुई लेकिन किसी ने हमें नहीं बताया कि क्यों।',
  'Giao hàng bị chậm nhưng không ai nói cho chúng tôi biết tại sao.',
  'Iphone 15 Pro, 256 GB, 89 % battery; VW Golf 1.6 TDI, 60,000 miles',
  "don't 'quoted' `code` ''' rock'n'roll ’’ l'été d’accord",
  'x',
  'an',
  'the',
  'four',
  'ｆｕｌｌ ｗｉｄｔｈ ﬁ 😀 𝒜 \ud800 \udc00 e\u0301 \u0130',
  '1234 5678 --- ... !!!',
  '',
];

function textOf(random: () => number): string {
  const pieces: string[] = [];
  for (let left = 1 + Math.floor(random() * 5); left > 0; left--) {
    const words = (sentences[Math.floor(random() * sentences.length)] as string).split(' ');
    const from = Math.floor(random() * words.length);
    pieces.push(words.slice(from, from + 1 + Math.floor(random() * words.length)).join(random() < 0.9 ? ' ' : ''));
  }
  const text = pieces.join(random() < 0.8 ? ' ' : '\n');
  if (random() < 0.1) return text.repeat(8);
  if (random() < 0.1) return text.toUpperCase();
  return random() < 0.1 ? text + String.fromCodePoint(Math.floor(random() * 0x110000)) : text;
}

test('a text is detected as the package detects it, for 20,000 texts', () => {
  const random = seededRandom(20_261_130);
  for (let one = 0; one < 20_000; one++) {
    const text = textOf(random);
    const found = detect(text);
    const known = eld.detect(text);
    expect({ text, ...found, scores: Object.entries(found.scores()) }).toEqual({
      text,
      language: known.language,
      isReliable: known.isReliable(),
      scores: Object.entries(known.getScores()),
    });
  }
});

test('scores stay those of their text when another one is detected', () => {
  const german = detect(sentences[1] as string);
  const scores = german.scores();
  detect(sentences[0] as string);
  expect(german.scores()).toEqual(scores);
  expect(Object.keys(scores)[0]).toBe('de');
});
