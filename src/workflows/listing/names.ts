import { monthNames } from '../sense/months.ts';
import { plainText } from './plain-text.ts';

// Names that only their capitals tell from other words: of places, of employers.

const times = [
  ...monthNames.flat().filter((name) => name.length > 3 || name === 'may' || name === 'mai'),
  ...'monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun weekend weekends weekdays'.split(
    ' ',
  ),
  ...'montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag wochenende lunes martes miercoles jueves viernes sabado domingo'.split(
    ' ',
  ),
  ...'lundi mardi mercredi jeudi vendredi samedi dimanche morning afternoon evening evenings daytime today tomorrow spring summer autumn winter'.split(
    ' ',
  ),
  ...'christmas easter morgen abend woche kurze zukunft sommer herbst fruhling fruhjahr ostern weihnachten verano invierno otono primavera navidad'.split(
    ' ',
  ),
  ...'semana noel paques ete hiver automne printemps quarter kw'.split(' '),
];

/** Words that may have a capital, at the beginning of a sentence, in a title or as a German noun, and name neither place nor employer. */
const noNames: ReadonlySet<string> = new Set([
  ...times,
  ...'the a an our my your his her its their this that these we you i it is are as at by for from if in no not of on only or and with to very all any every both'.split(
    ' ',
  ),
  ...'der die das dem den des ein eine einem einer eines unser unsere unserem unserer mein meine meinem meiner wir ihr sie ich es nur oder und mit ohne bei auf aus nach ab bis bitte kein keine nicht sehr'.split(
    ' ',
  ),
  ...'un una uno unos unas mi mis tu tus su sus nuestro nuestra nosotros solo sin con por para y o no muy une mon ma mes notre nos votre vos nous je il elle ce cette et ou avec sans pour chez sur pas tres'.split(
    ' ',
  ),
  ...'present times peak short part person cash full good great mint excellent perfect used new working fair very best prime central close near quiet easy walking top'.split(
    ' ',
  ),
  ...'victorian georgian edwardian tudor grade art modern black white grey gray blue green red brown oak pine english german spanish french style'.split(
    ' ',
  ),
  ...'store shop shops house home garage office stores office school studio door warehouse site town city centre center village road street business private public'.split(
    ' ',
  ),
  ...'absprache vereinbarung bar ruhe person personal eigenregie filiale markt laden geschaft kartons karton teilen einzelteilen einzelstucken ordnung garage tiefgarage scheune halle lager keller haus wohnung zimmer garten'.split(
    ' ',
  ),
  ...'innenstadt stadtmitte stadt zentrum nahe umgebung bahnhof sonne sonnig halbschatten schatten hell ruhig zentral preis versand abholung selbstabholung lieferung besichtigung termin tel telefon privat privathand'.split(
    ' ',
  ),
  ...'interesse eignung bedarf fragen arbeitsbeginn gefallen zahlung barzahlung anfrage rucksprache grosse farbe form hand art bestzustand topzustand neuwertig gebraucht'.split(
    ' ',
  ),
  ...'tienda mano persona casa garaje oficina perfecto buen buena buenas excelente excelentes estado centro zona precio envio horario general marcha planta pleno plena primera metalico efectivo domicilio punto'.split(
    ' ',
  ),
  ...'magasin boutique domicile proximite centre coeur plein pleine bord quartier rez face parfait bon bonne tres prix main place livraison envoi rdv rendez-vous photo photos rez-de-chaussee centre-ville retrait point relais mondial'.split(
    ' ',
  ),
  ...'internet youtube instagram facebook whatsapp leboncoin vinted ebay wallapop milanuncios kleinanzeigen willhaben gumtree amazon zoom skype teams google airbnb idealista immoscout'.split(
    ' ',
  ),
  ...'venta alquiler renta permuta garantia stock oferta exclusiva cuotas option vente location panne partir cdi cdd alternance commercial'.split(
    ' ',
  ),
  ...'altbau neubau erstbezug wg siedlung massivbauweise holzbauweise mehrfamilienhaus zweifamilienhaus selbstabholer kontakt multiple'.split(
    ' ',
  ),
  ...'lego zara dior gucci chanel prada nike adidas disney marvel h&m hermes ikea playmobil'.split(' '),
  ...'appartement maison chambre local duplex villa velo voiture cuisine salon terrain parking deutsch englisch spanisch franzosisch'.split(
    ' ',
  ),
]);

/** Compounds of German that are no places: "Bestlage", "Zentrumsnähe", "Originalverpackung". */
const noPlace =
  /(?:.nahe|.lage|(?<!frey)ung|.keit|.heit|.schaft|.raum|.garage|.halle|.zimmer|.gebiet|.bereich|.zustand|.karton|.absprache|.zeit(?:en)?|.bedingungen|.schatten|.fenster|.platz)$/;

/** What may stand between the words of a place with small letters: Jerez de la Frontera, Newcastle upon Tyne, Villeneuve d'Ascq. */
const between = /^ (?:(?:upon|ob der|de las|de los|de la|del?|du|des|sur|sous|le|la|les|lez) |d')/;
/** These have other uses, too, so what follows has to be a river, a sea or a land. */
const atWaters =
  /^ (?:a\.|am|an der|im|in der|i\.|vor der|on|under|en|in) (?=(?:main|rhein|neckar|inn|lech|see|[a-z]{3,10}see|donau|saale|ruhr|isar|weinstra(?:ss|ß)e|enns|leitha|glan|lahn|havel|oder|mur|ybbs|traun|elbe|mosel|ilm|aller|leine|spree|weser|fulda|harz|taunus|breisgau|allgau|odenwald|schwarzwald|pongau|pinzgau|zillertal|steiermark|oberpfalz|pfalz|holstein|westfalen|oldenburg|sachsen|thuringen|bayern|oberbayern|niederbayern|mecklenburg|wurttemberg|hessen|tirol|karnten|karntens|salzburg|hohe|trent|sea|tees|thames|wye|avon|solent|lyne|provence|bresse|laye|velin|champagne|artois)(?![a-z]))/;
const article =
  /^(?:la|le|les|el|los|las|l'|san|santa|santo|saint|sainte|sankt|st\.?|ste\.?|sta\.?|bad|den|port|porto|puerto)$/;
const placeWord = /^(?:(?:St|Ste|Sta)\. ?)?\p{Lu}[\p{L}'’-]+/u;
const placeWords = 4;

/** How long the name of a place is with which a text begins, with a postcode before it; 0: it begins with none. */
export function placeAtStart(written: string): number {
  const plain = plainText(written);
  const [code] = /^(?:(?:[a-z]{1,2}-)?\d{4,5} )?/.exec(plain) ?? [''];
  const [outward] = /^(?!kw|am|pm)(?:[newblmgs]|[a-z]{2})\d{1,2}[a-z]?(?: \d[a-z]{2})?(?![a-z0-9])/.exec(plain) ?? [];
  if (outward !== undefined && /^[A-Z]/.test(written)) return outward.length;
  let at = code?.length ?? 0;
  let end = 0;
  for (let count = 0; count < placeWords; count++) {
    const rest = plain.slice(at);
    const atWater = count > 0 ? atWaters.exec(rest)?.[0] : undefined;
    const gap = count === 0 ? '' : (atWater ?? between.exec(rest)?.[0] ?? ' ');
    const start = at + gap.length;
    const [word] = (count === 0 || rest.startsWith(' ') ? placeWord.exec(written.slice(start)) : null) ?? [];
    const name = plainText(word ?? '').replace(/['-]+$/, '');
    if (word === undefined || /[a-z0-9]/.test(plain[start + word.length] ?? '')) break;
    if (atWater === undefined && (noNames.has(name) || noPlace.test(name))) break;
    at = start + word.length;
    if (!article.test(name)) end = start + name.length;
  }
  return end;
}

const nobody =
  /^(?:the (?!.* )|our |my |your |this |these |every |all |any |we |unser|mein|dein|ihr|nuestr|vuestr|notre |nos |votre |vos |une? |uns?$|una |uns |dir |euch |mi |tu |su )/;
/** Where one looks for people "en Madrid". */
const spanishPlaces = new Set(
  'espana madrid barcelona valencia sevilla zaragoza malaga murcia palma bilbao alicante cordoba valladolid vigo gijon oviedo granada elche badalona cartagena tarrasa jerez sabadell santander almeria burgos pamplona castellon leon salamanca huelva badajoz logrono tarragona lleida girona marbella toledo cadiz jaen ourense lugo coruna albacete andalucia cataluna galicia asturias canarias baleares tenerife ibiza mallorca menorca europa mexico argentina chile colombia peru nuestro nuestra'.split(
    ' ',
  ),
);
const employerWord = /^[\p{Lu}\d][\p{L}\d&'’-]*(?:\.(?! |$)[\p{L}\d]+)?/u;
const employerGap = /^ (?:(?:&|\+|and|und|et|y|of|de|de la|du|des|am|vom|von|zum|zur|di) )?(?=[\p{Lu}\d])/u;
const employerWords = 6;

/** How long the name of an employer is with which a text begins; 0: it begins with none. */
export function employerAtStart(written: string): number {
  let end = 0;
  for (let count = 0; count < employerWords; count++) {
    const rest = written.slice(end);
    const abbreviated =
      count > 0 && /(?:^|[ .])(?:St|Dr|Ste|Co|med)$/.test(written.slice(0, end)) && rest.startsWith('. ');
    const [gap] = count === 0 ? [''] : abbreviated ? ['. '] : (employerGap.exec(rest) ?? []);
    const [word] = gap === undefined ? [] : (employerWord.exec(rest.slice(gap.length)) ?? []);
    if (gap === undefined || word === undefined) break;
    end += gap.length + word.length;
  }
  const name = plainText(written.slice(0, end)).replace(/['-]+$/, '');
  if (!/[a-z]/.test(name) || nobody.test(name) || noNames.has(name) || noPlace.test(name)) return 0;
  return name.length;
}

/** Words of which one tells that a name is one of a place where people work; some only at its end: "School Hours" are none. */
const workplace =
  /(?<![a-z])(?:(?:inn|arms|pub|brewery|bakery|school|nursery|surgery|council|trust|foundation|farm|garage|salon|spa|bar|clinic|care home|ltd|limited|plc|llp|inc|gmbh|ag|kg|ohg|sl|sa|sas|sarl)$|hotel|hostel|restaurante?|bistro|brasserie|gast(?:hof|haus|statte)|wirtshaus|brauhaus|cafe|[a-z]*backerei|konditorei|metzgerei|panaderia|pasteleria|boulangerie|patisserie|college|university|academy|kita|kindergarten|colegio|instituto|escuela|ecole|lycee|creche|hospital|[a-z]*(?:klinik(?:um)?|praxis|kanzlei)|krankenhaus|pflegeheim|seniorenheim|apotheke|pharmacy|clinica|farmacia|residencia|clinique|pharmacie|ehpad|residence|stiftung|fundacion|fondation|autohaus|taller(?:es)?|supermarkt|supermercado|supermarche|mairie|ayuntamiento)(?![a-z])/;

/** Like `employerAtStart`, if the name has a word for such a place and another one besides. */
export function workplaceAtStart(written: string): number {
  const length = employerAtStart(written);
  const name = plainText(written.slice(0, length)).replace(/^the /, '');
  return name.includes(' ') && workplace.test(name) ? length : 0;
}

/** What follows an employer's name that opens a job's text: "At Nuvéo, we are hiring", "Bei Nuvéo suchen wir". */
const hires =
  /^(?: ?\([^()]{1,40}\))?(?: (?:in|a|en) [a-z][a-z-]{2,24})?,? (?:we(?: are|'re)(?: now| currently| always)? (?:hiring|recruiting|looking|seeking|searching)|we (?:need|seek|want|offer)|(?:are|is) (?:now |currently )?(?:hiring|recruiting|looking|seeking)|nous (?:recrutons|recherchons|cherchons|embauchons)|on (?:recrute|recherche|cherche|embauche)|(?:recrutons|recherchons|cherchons|embauchons)|(?:suchen|brauchen|bieten) wir|wir (?:suchen|brauchen)|(?:suchen|brauchen)(?! sie)|(?:nos )?(?:estamos (?:buscando|contratando|seleccionando)|buscamos|seleccionamos|necesitamos|contratamos|incorporamos|precisamos))(?![a-z])/;

/** Like `employerAtStart`, if what follows the name says that it hires. */
export function hiringEmployerAtStart(written: string): number {
  const length = employerAtStart(written);
  const plain = plainText(written);
  return length > 0 && !spanishPlaces.has(plain.slice(0, length)) && hires.test(plain.slice(length)) ? length : 0;
}
