import { foldText } from '../../base/text/fold.ts';

// The words that short messages consist of, folded; a word spelled alike in two of the languages is listed only if one of them
// uses it far more.
const wordsOf: Readonly<Record<string, string>> = {
  en: 'hello hi hey thanks thank thx yes please sorry the and is are was it its this that you your my me we i im see call sold still available when where what how much price for with on at today tomorrow later soon great good fine cool perfect maybe wait here there morning evening pick up can could will not dont sure bye cheers',
  de: 'hallo moin servus gruss grusse danke dankeschon bitte ja nein nicht der das und ist sind war ich du wir ihr mein dein noch da wann wo wie preis fur mit auf heute morgen spater bald gut super passt klappt leider gern gerne vielleicht hier dort tag abend bis zum zur kein keine abholung verkauft verkaufe suche biete',
  es: 'hola buenas buenos gracias vale por favor si pero el los las y es esta son era yo tu nosotros mi cuando donde como cuanto precio para con en hoy manana luego pronto bien genial perfecto quizas aqui ahi dia tarde noche hasta ningun vendo vendido busco disponible sigue adios',
  fr: 'bonjour salut bonsoir coucou merci oui non plait pas le les et est sont etait je tu nous vous mon ton ma ta quand ou combien prix pour avec sur demain aujourd hui bientot bien super parfait dispo peut etre ici la jour soir jusqu aucun vends vendu cherche toujours accord revoir',
  pt: 'ola oi obrigado obrigada tudo bem bom noite nao sim ainda disponivel qual quanto preco amanha hoje voce vc eu meu minha seu sua com uma um procuro levantar',
  ru: 'привет здравствуите добрыи день вечер спасибо пожалуиста да нет не еще продаете продаю куплю сколько стоит цена где когда можно я вы мы это как что завтра сегодня хорошо ладно актуально вас вам мне на и по',
  tr: 'merhaba selam tesekkurler sagol tamam evet hayir hala satilik kadar fiyat nerede bugun yarin yok sen siz icin bir iyi gunler aksamlar lutfen musait olur gelirim alirim',
  ar: 'مرحبا السلام عليكم شكرا نعم لا هل ما زال متوفر كم السعر اين متي اليوم غدا بكره انا انت في من علي مع',
};

const languages = Object.keys(wordsOf);
const spokenBy: ReadonlyMap<string, readonly string[]> = languages
  .flatMap((language) => (wordsOf[language] ?? '').split(' ').map((word) => [word, language] as const))
  .reduce(
    (known, [word, language]) => known.set(word, [...(known.get(word) ?? []), language]),
    new Map<string, string[]>(),
  );

/** How many words of a short text are among the most common ones of each language. */
export function commonWordsIn(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of foldText(text).split(/[^\p{L}]+/u))
    for (const language of spokenBy.get(word) ?? []) counts.set(language, (counts.get(language) ?? 0) + 1);
  return counts;
}
