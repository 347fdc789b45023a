import { foldText } from '../../base/text/fold.ts';

// By ISO 3166 code: the adjective in English, German, Spanish and French, folded; nouns beside it where people use them. Endings
// are added below.
const table = `
DE german deutsch aleman allemand
AT austrian osterreichisch/osterreicher austriaco autrichien
CH swiss schweizerisch/schweizer suizo suisse
LI liechtensteiner liechtensteinisch/liechtensteiner liechtensteiniano liechtensteinois
FR french franzosisch/franzose frances francais
BE belgian belgisch/belgier belga belge
LU luxembourgish/luxembourger luxemburgisch/luxemburger luxemburgues luxembourgeois
NL dutch niederlandisch/niederlander/hollandisch/hollander neerlandes/holandes neerlandais/hollandais
ES spanish spanisch/spanier espanol espagnol
PT portuguese portugiesisch/portugiese portugues portugais
IT italian italienisch/italiener italiano italien
GB british/english/scottish/welsh britisch/brite/englisch/englander/schottisch britanico/ingles/escoces britannique/anglais/ecossais
IE irish irisch/ire irlandes irlandais
DK danish danisch/dane danes danois
SE swedish schwedisch/schwede sueco suedois
NO norwegian norwegisch/norweger noruego norvegien
FI finnish finnisch/finne finlandes/fines finlandais
IS icelandic islandisch/islander islandes islandais
PL polish polnisch/pole polaco polonais
CZ czech tschechisch/tscheche checo tcheque
SK slovak slowakisch/slowake eslovaco slovaque
HU hungarian ungarisch/ungar hungaro hongrois
RO romanian rumanisch/rumane rumano roumain
BG bulgarian bulgarisch/bulgare bulgaro bulgare
GR greek griechisch/grieche griego grec
HR croatian/croat kroatisch/kroate croata croate
SI slovenian/slovene slowenisch/slowene esloveno slovene
RS serbian/serb serbisch/serbe serbio serbe
BA bosnian bosnisch/bosnier bosnio bosnien
ME montenegrin montenegrinisch/montenegriner montenegrino montenegrin
MK macedonian mazedonisch/nordmazedonisch/mazedonier macedonio macedonien
AL albanian albanisch/albaner albanes albanais
XK kosovan/kosovar kosovarisch/kosovare kosovar kosovar
TR turkish turkisch/turke turco turc
CY cypriot zyprisch/zyprer/zypriotisch/zypriot chipriota chypriote
MT maltese maltesisch/malteser maltes maltais
EE estonian estnisch/este estonio estonien
LV latvian lettisch/lette leton letton
LT lithuanian litauisch/litauer lituano lituanien
RU russian russisch/russe ruso russe
UA ukrainian ukrainisch/ukrainer ucraniano/ucranio ukrainien
BY belarusian belarussisch/weissrussisch/belarusse bielorruso bielorusse
MD moldovan moldauisch/moldawisch/moldauer moldavo moldave
GE georgian georgisch/georgier georgiano georgien
AM armenian armenisch/armenier armenio armenien
AZ azerbaijani aserbaidschanisch/aserbaidschaner azerbaiyano azerbaidjanais
KZ kazakh kasachisch/kasache kazajo kazakh
UZ uzbek usbekisch/usbeke uzbeko ouzbek
US american/us us/amerikanisch/amerikaner/us-amerikanisch/us-amerikaner estadounidense/norteamericano/americano americain/etats-unien
CA canadian kanadisch/kanadier canadiense canadien
MX mexican mexikanisch/mexikaner mexicano mexicain
GT guatemalan guatemaltekisch guatemalteco guatemalteque
HN honduran honduranisch hondureno hondurien
SV salvadoran salvadorianisch salvadoreno salvadorien
NI nicaraguan nicaraguanisch nicaraguense nicaraguayen
CR costa-rican costa-ricanisch costarricense costaricain
PA panamanian panamaisch panameno panameen
CU cuban kubanisch/kubaner cubano cubain
DO dominican dominikanisch dominicano dominicain
CO colombian kolumbianisch/kolumbianer colombiano colombien
VE venezuelan venezolanisch/venezolaner venezolano venezuelien
EC ecuadorian ecuadorianisch ecuatoriano equatorien
PE peruvian peruanisch/peruaner peruano peruvien
BO bolivian bolivianisch boliviano bolivien
PY paraguayan paraguayisch paraguayo paraguayen
UY uruguayan uruguayisch uruguayo uruguayen
CL chilean chilenisch/chilene chileno chilien
AR argentine/argentinian argentinisch/argentinier argentino argentin
BR brazilian brasilianisch/brasilianer brasileno bresilien
AU australian australisch/australier australiano australien
NZ new-zealander/kiwi neuseelandisch/neuseelander neozelandes neo-zelandais
CN chinese chinesisch/chinese chino chinois
JP japanese japanisch/japaner japones japonais
KR korean/south-korean koreanisch/sudkoreanisch/koreaner coreano/surcoreano coreen/sud-coreen
IN indian indisch/inder indio indien
PK pakistani pakistanisch/pakistaner pakistani/paquistani pakistanais
BD bangladeshi bangladeschisch bangladesi bangladais
LK sri-lankan sri-lankisch esrilanques sri-lankais
NP nepalese/nepali nepalesisch/nepalese nepales/nepali nepalais
AF afghan afghanisch/afghane afgano afghan
IR iranian iranisch/iraner irani iranien
IQ iraqi irakisch/iraker iraqui irakien
SY syrian syrisch/syrer sirio syrien
LB lebanese libanesisch/libanese libanes libanais
IL israeli israelisch israeli israelien
JO jordanian jordanisch/jordanier jordano jordanien
SA saudi saudisch/saudi-arabisch saudi saoudien
AE emirati emiratisch emirati emirien
EG egyptian agyptisch/agypter egipcio egyptien
MA moroccan marokkanisch/marokkaner marroqui marocain
DZ algerian algerisch/algerier argelino algerien
TN tunisian tunesisch/tunesier tunecino tunisien
LY libyan libysch/libyer libio libyen
NG nigerian nigerianisch/nigerianer nigeriano nigerian
GH ghanaian ghanaisch/ghanaer ghanes ghaneen
CM cameroonian kamerunisch/kameruner camerunes camerounais
SN senegalese senegalesisch/senegalese senegales senegalais
CI ivorian ivorisch/ivorer marfileno ivoirien
ML malian malisch/malier maliense malien
GN guinean guineisch guineano guineen
CD congolese kongolesisch/kongolese congoleno/congoles congolais
KE kenyan kenianisch/kenianer keniano kenyan
ET ethiopian athiopisch/athiopier etiope ethiopien
ER eritrean eritreisch/eritreer eritreo erythreen
SO somali somalisch/somalier somali somalien
ZA south-african sudafrikanisch/sudafrikaner sudafricano sud-africain
PH filipino/filipina/philippine philippinisch/filipino filipino philippin
VN vietnamese vietnamesisch/vietnamese vietnamita vietnamien
TH thai thailandisch/thai tailandes thailandais
ID indonesian indonesisch/indonesier indonesio indonesien
MY malaysian malaysisch malasio malaisien
SG singaporean singapurisch singapurense singapourien
`;

const german = (word: string): string[] =>
  word.endsWith('sch') || word === 'deutsch'
    ? ['', 'e', 'er', 'es', 'en'].map((ending) => word + ending)
    : word.endsWith('e')
      ? [word, `${word.slice(0, -1)}in`]
      : [word, `${word}in`];
const spanish = (word: string): string[] =>
  word.endsWith('o') ? [word, `${word.slice(0, -1)}a`] : /[lnsr]$/.test(word) ? [word, `${word}a`] : [word];
const french = (word: string): string[] => {
  if (/e$/.test(word)) return [word];
  if (/(?:e|o)n$/.test(word)) return [word, `${word}ne`];
  return word === 'grec' ? [word, 'grecque'] : word === 'turc' ? [word, 'turque'] : [word, `${word}e`];
};
const endings = [(word: string) => [word], german, spanish, french];

const nationalities: ReadonlyMap<string, string> = new Map(
  table
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [code = '', ...adjectives] = line.split(' ');
      const words = adjectives.flatMap((all, language) =>
        all.split('/').flatMap((word) => endings[language]?.(word) ?? []),
      );
      return words.map((word) => [word.replaceAll('-', ' '), code] as const);
    }),
);

// "German citizen", "deutsche Staatsangehörigkeit", "nacionalidad española".
const besides =
  /^(?:nacionalidad|nationalite|de nacionalidad|de nationalite)\s|\s(?:citizen(?:ship)?|national(?:ity)?|staatsangehorig(?:e|er|keit)?|staatsburger(?:in|schaft)?)$/;

/** The ISO 3166 code of a nationality in English, German, Spanish or French; undefined for anything else. */
export function nationalityOf(text: string): string | undefined {
  return text.length > 60 ? undefined : nationalities.get(foldText(text).replace(besides, ''));
}
