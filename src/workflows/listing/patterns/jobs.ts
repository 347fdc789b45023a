import { employerAtStart, hiringEmployerAtStart, workplaceAtStart } from '../names.ts';
import { amountOf, countOf, numeral, plainText } from '../plain-text.ts';
import { after, before, COUNT, type FactPattern, numberWithin, oneOf } from './pattern.ts';

const thousands = 'k ?(?:€|eur|chf|£|\\$)?|t ?€|teur|tchf|tsd\\.?(?: ?(?:€|eur|euro))?|mil(?: euros)?|thousand|mille';

/** What an employer does; not what somebody does who looks for work. */
const hiring =
  '(?:(?:is|are) (?:now |currently |urgently |actively )?(?:hiring|recruiting|seeking|looking for)|recruits|seeks|recrute|embauche|recherche|cherche|sucht|stellt(?= [a-zß ]{0,40}\\bein\\b)|busca|selecciona|contrata|incorpora)(?![a-z]| (?:[a-zß]+ ){0,2}(?:stelle|arbeit|arbeitsstelle|job|work|employment|trabajo|empleo|emploi|travail|poste)\\b)|needs (?:[a-z-]+ ){0,3}(?:chefs?|cooks?|wait(?:er|ress|ing)|bar|baristas?|staff|cleaners?|drivers?|porters?|receptionists?|assistants?|nurses?|carers?|managers?|bakers?|gardeners?|supervisors?|servers?|technicians?|teachers?|apprentices?|workers?|operatives?)';

/** No full stop ends it, unless it is that of "St." */
const nameWord = "(?:(?:st|ste|dr)\\. ?|[a-z0-9ß&](?:[a-z0-9ß&'-]|\\.(?! )){0,30})";

/** Words by which the subject of a sentence is no employer's name: pronouns, those who look for work, a beginning without a subject. */
const namesNobody =
  /\b(?:we|wir|nous|nosotros|i|ich|je|you|he|she|it|they|er|sie|il|elle|on|who|wer|whoever|qui|quien|this|that|these|there|which|if|wenn|weil|because|que|se|man|jemand|someone|somebody|everyone|anyone|candidates?|applicants?|bewerber|clients?|customers?|kunden?|clientes?|role|position|person|woman|girl|lady|student|studentin|frau|madchen|mann|mujer|chica|chico|estudiante|femme|homme|etudiante?|gesucht|wanted|suche|busco)\b|^(?:ab|zum|zur|fur|in|im|am|derzeit|aktuell|momentan|jetzt|dringend|for|from|now|currently|to|as|a|an|actuellement|pour|para|desde|actualmente|my|mein|meine|mon|ma|mi) /;

/** What may stand between an employer's name and what it does: its town, and what it is. */
const aside = '(?: ?\\([^()\\n]{1,40}\\)|, [a-z][a-z -]{2,24},|, [a-z-]{3,24})?';

/** A name without what stands before it, and without its town. */
function withoutArticles(words: string): string {
  return words
    .replace(
      /^(?:l'|(?:&|\+|then|wir|die|der|das|bei|at|the|for|fur|in|chez|la|le|les|el|los|las|empresa|firma|und|and|our|team|we|are|unser|unserem|unsere|nuestro|nuestra|notre|equipo|equipe|unternehmen) )+/,
      '',
    )
    .replace(/ a [a-z' -]+$/, '')
    .replace(/ in (?!.*\b(?:ltd|limited|gmbh|ag|kg|inc|plc|care)\b)[a-z' -]+$/, '')
    .trim();
}

const company =
  /(?:^|.* )(?:empresa|compania|multinacional|entreprise|societe|groupe|unternehmen|betrieb|firma|company|firm|business|agency|agencia|agence)(?= |$)/;
const inItsTrade =
  /^(?:der|des|aus|im|in|mit|fur|from|in|of the|with|del|de la|en el|con|du|de l'|des|dans|avec|specialise)(?![a-z])/;

/** A company that is only described, without a name: "empresa internacional del sector", "Unternehmen der Lebensmittelbranche". */
function unlessDescribed(found: string, name: string): string {
  if (!company.test(found)) return name;
  const plain = plainText(name);
  const rest = name.slice(company.exec(plain)?.[0].length ?? 0).trim();
  const trade = found.slice(company.exec(found)?.[0].length ?? 0).trim();
  return /[\p{Lu}\d]/u.test(rest) && !inItsTrade.test(trade) ? name : '';
}

/** A ten-hour night is no week. */
const ofShift = /^ (?:[a-z]+ )?(?:nights?|days?|shifts?|schicht|dienst)/;
const ofWeek =
  /^[ .]{0,2}(?:(?:\/|a|per|pro|je|die|in der|por|a la|par) ?(?:w\b|wk|week|woche|wo\b|semana|semaine)|wochentlich|semanal|hebdo|weekly|pw\b)/;
const sinceTime =
  /(?:\d ?(?:h|uhr)(?:\d\d)?|(?<![a-z])(?:de|from|von|entre|between|zwischen)(?: las?)? \d{1,2}(?:[.:]\d\d)?) ?(?:-|\/|to|bis|und|and|a|y|et)(?: las?)? ?$/;
const untilTime = /^ ?(?:-|\/|to|bis|a|et) ?\d{1,2} ?(?:h|uhr)/;
const atTime =
  /(?<![a-z])(?:at|um|gegen|las|vers|jusqu'a|until|till|(?:abends|morgens|fruh|vormittags|mittags|nachmittags|nachts|taglich|evenings?|mornings?|le soir|le matin)(?: ab| des| a partir de| from)) $/;

/** An hour of the clock: "7h/19h", "llamar de 17 a 19 h". What is said of a week is a number of hours all the same. */
function isTimeOfDay(match: RegExpExecArray, text: string): boolean {
  const [next, earlier] = [after(text, match, 16), before(text, match, 24)];
  if (Number(amountOf(match[1] ?? '')) > 24 || ofWeek.test(next)) return false;
  return sinceTime.test(earlier) || (/h$/.test(match[0]) && untilTime.test(next)) || atTime.test(earlier);
}

/** Facts read about a job. */
export const jobPatterns: readonly FactPattern[] = [
  {
    fact: 'hoursPerWeek',
    type: 'number',
    kinds: ['jobs'],
    fields: [
      'hours',
      'hoursperweek',
      'weeklyhours',
      'wochenstunden',
      'stundenprowoche',
      'horas',
      'horassemanales',
      'heures',
      'heuresparsemaine',
    ],
    pattern: /\b(\d{1,2}(?:[.,]\d)?) ?-?(?:h|hrs?|hours?|std\.?|stunden|horas|heures)(?![a-z0-9])(?! ?(?:a|per) day)/g,
    read: (match, text) =>
      Number(amountOf(match[1] ?? '')) >= 5 &&
      !isTimeOfDay(match, text) &&
      !(/\d-/.test(match[0]) && ofShift.test(after(text, match, 24))) &&
      !/£|€|\$|\d[ -]$/.test(before(text, match, 3)) &&
      !/(?:shifts?|schicht(?:en)?|dienste?n?|turnos?|postes?|jornadas?) (?:of|zu|von|mit|de) $/.test(
        before(text, match, 20),
      )
        ? String(amountOf(match[1] ?? ''))
        : undefined,
  },
  {
    fact: 'workload',
    denied: { 'full-time': 'part-time', 'part-time': 'full-time' },
    kinds: ['jobs'],
    fields: ['workload', 'worktime', 'arbeitszeit', 'jornada', 'pensum', 'tempsdetravail'],
    mayState: ['employmenttype', 'type', 'jobtype', 'art'],
    inCategory: true,
    pattern:
      /full.?time|vollzeit|\bvz\b(?! ?\/? ?(?:tz|oder|o\.))|(?<!vz ?\/? ?)\btz\b|jornada completa|jorn\. completa|tiempo completo|temps plein|temps complet|(?<!full(?:[ -]?time)? ?(?:or|and|&|\/) ?|voll-? ?(?:oder|und|bzw\.?|u\.|o\.|\/) ?)(?:part.?time|teilzeit)(?! (?:moglich|possible|considered|available|option))|media jornada|medio tiempo|jornada parcial|tiempo parcial|temps partiel|minijob|\d+ ?% ?pensum/g,
    read: oneOf({ 'full-time': /full|voll|^vz|complet|plein/, 'part-time': /part|teil|^tz|medi[ao]|mini|pensum/ }),
  },
  {
    fact: 'contract',
    denied: { 'fixed-term': 'permanent', temporary: 'permanent' },
    kinds: ['jobs'],
    fields: [
      'contract',
      'contracttype',
      'vertrag',
      'vertragsart',
      'contrato',
      'tipodecontrato',
      'contrat',
      'typedecontrat',
    ],
    mayState: ['jobtype', 'employmenttype', 'type', 'anstellungsart'],
    inCategory: true,
    pattern:
      /permanent|\bperm\b|unbefristet|\bunbefr\.|festanstellung|indefinid[oa]|\bindef\.|tiempo indeterminado|contrato fijo|\bcdi\b|fixed.?term|temporary|\btemp\b|\bftc\b|befristet|\bbefr\.|temporal|\bcdd\b|\d.?year contract|intern(?:ship)?\b|praktikum|practicas|\bstage\b|alternance|becari[oa]|beca\b|trainee|stagiaire|(?<!(?:abgeschlossene[rns]?|abgeschl\.|mit|ohne|eine|deine|ihre|gute|haben|oder) (?:[a-z-]+ )?)ausbildung(?!en|s(?:betrieb|leiter))|(?<!(?:completed|finished|an|your) )apprentice|\bapprentissage\b|\bapprentie?s?\b|\blehrstelle|\blehrling|\bazubis?\b|auszubildende|\baprendi(?:z|ces|zaje)\b|freelance|freiberuf|autonomo|interim|zeitarbeit|werkstudent|aushilfe|seasonal|saison(?![\s\S]{0,400}\bcdd\b)|temporada/g,
    read: oneOf({
      permanent: /perm|unbefr|fest|indef|indeterminado|fijo|cdi/,
      internship: /intern|praktik|practicas|\bstag|beca|trainee/,
      'fixed-term': /fixed|ftc|befr|cdd|year contract|temporada/,
      apprenticeship: /ausbildung|apprent|alternance|lehr|azubi|auszub|aprendi/,
      freelance: /free|freib|autonomo/,
      temporary: /temp|interim|zeitarbeit|aushilfe|season|saison|werkstudent/,
    }),
  },
  {
    fact: 'employer',
    kinds: ['jobs'],
    asWritten: true,
    fields: [
      'employer',
      'company',
      'arbeitgeber',
      'firma',
      'unternehmen',
      'empresa',
      'entreprise',
      'employeur',
      'companyname',
      'organisation',
      'organization',
    ],
    pattern:
      /(?:(?<![a-z0-9])(?:(?:(?:[a-z]|st|ste|dr|co|ges|bros)\.|[&+]|[a-z0-9](?:[a-z0-9&'-]|\.(?! ))*) ){1,4}(?=gmbh|ltd|inc\b|llc|ag\b|kg\b|s\.?l\.?u?\b|s\.a\.|sarl|sas\b))?\b(?:(?:gmbh|ag|ug|se)? ?& ?co\.? ?(?:kga?a?\b|ohg\b)|gmbh|ltd|inc\b|llc|ag\b|kg\b|s\.l\.(?:u\.)?|s\.?l\.?u?\b|s\.a\.|sarl|sas\b)|(?<![a-z])(?:(?:hotel|restaurant[e]?|cafe|[a-z]{0,20}(?:backerei|metzgerei|klinik|praxis|kanzlei|apotheke|werkstatt|pflegedienst|schreinerei|tischlerei|gartnerei|schule)|autohaus|boulangerie|brasserie|garage|clinique|cabinet|panaderia|clinica|taller|hospital|bakery|clinic|pub|inn|school) [a-z0-9&.'-]+(?: [a-z0-9&.'-]+){0,2} (?=sucht|braucht|recrute|recherche|cherche|embauche|busca|necesita|precisa|selecciona|is hiring|is looking|needs|seeks)|(?:gemeinde|stadt|landkreis|spitex|stiftung|verein|spital|pfarrei|kirchgemeinde|ayuntamiento|residencia|fundacion|colegio|mairie|commune|ville|association|fondation|ehpad|council|charity|parish|care home) (?:de |of |d')?[a-z0-9&.'-]+(?: [a-z0-9&.'-]+)? (?=sucht|braucht|recrute|recherche|cherche|embauche|busca|necesita|precisa|selecciona|is hiring|is looking|needs|seeks))/g,
    read: (match) => withoutArticles(match[0]),
  },
  {
    // "Bei Nuvéo suchen wir": the name has nothing but its capitals.
    fact: 'employer',
    kinds: ['jobs'],
    asWritten: true,
    pattern: /(?<=^|[.!?:;\n] ?|- )(?:we at|wir (?:bei|von)|nous, chez|chez|at|bei(?: der| dem)?|beim|en) /g,
    nameAfter: hiringEmployerAtStart,
    read: (match) => match[1],
  },
  {
    fact: 'employer',
    kinds: ['jobs'],
    asWritten: true,
    pattern:
      /(?<![a-z])(?:company|employer|arbeitgeber|firma|unternehmen|empresa|entreprise|societe|employeur) ?: ?|(?<![a-z])(?:join(?: (?:us|the team|our team) at)?|rejoignez(?: (?:l'equipe (?:de|d')))?|rejoins|unete a|werde teil (?:von|der)|die firma) /g,
    nameAfter: employerAtStart,
    read: (match) => match[1],
  },
  {
    // Whoever hires in a sentence of its own, without a word for what it is: "The Red Lion needs a chef".
    fact: 'employer',
    kinds: ['jobs'],
    asWritten: true,
    needs:
      /hiring|recruit|looking for|seek|needs|recrute|embauche|cherche|sucht|stellt|busca|selecciona|contrata|incorpora/,
    pattern: new RegExp(`(?<=^|[.!?:)\\n] ?| - )${nameWord}(?: ${nameWord}){0,5}(?=${aside} (?:${hiring}))`, 'g'),
    read: (match) => {
      const subject = `${match[0]} `;
      const name = withoutArticles(subject);
      return name === '' || namesNobody.test(subject) ? undefined : name;
    },
    called: unlessDescribed,
  },
  {
    // "We are Brightside Care, a family-run provider": what it is follows its name.
    fact: 'employer',
    kinds: ['jobs'],
    asWritten: true,
    unlessSaid: true,
    pattern: /(?<![a-z])(?:we are|we're|wir sind|somos|nous sommes) /g,
    nameAfter: employerAtStart,
    read: (match, text) =>
      /^,? (?:an?|one|the|eine?|das|die|der|una?|el|la|une?|le|und suchen|y buscamos|et (?:nous )?recherchons|and (?:we )?(?:are|need))(?![a-z])/.test(
        after(text, match, 24),
      )
        ? match[1]
        : undefined,
  },
  {
    // The title says whose job it is: "Chef de Partie - The Old Mill Inn", "Koch bei Gasthof Adler".
    fact: 'employer',
    kinds: ['jobs'],
    asWritten: true,
    inTitle: true,
    unlessSaid: true,
    pattern: /(?<=(?: [-|]|,|(?<![a-z])(?:at|bei(?: der| dem)?|beim|chez|en|im)) )/g,
    nameAfter: workplaceAtStart,
    read: (match) => match[1],
  },
  {
    // A sentence that is nothing but a name and its town: "Rowan Lodge Care Home, Hexham."
    fact: 'employer',
    kinds: ['jobs'],
    asWritten: true,
    unlessSaid: true,
    pattern: /(?<=\n|[.!] )/g,
    nameAfter: workplaceAtStart,
    read: (match, text) =>
      /^(?:,? (?:in |near |a |en |bei )?[a-z' -]{3,24})?[.\n]/.test(after(text, match, 36)) ? match[1] : undefined,
  },
  {
    // "Für unsere Zahnarztpraxis Dr. Köhler suchen wir".
    fact: 'employer',
    kinds: ['jobs'],
    asWritten: true,
    unlessSaid: true,
    pattern:
      /(?<=(?<![a-z])(?:for our|(?:fur|in) unser(?:e[nmr]?)?|para nuestr[oa]|pour notre|im|beim|at the|in the|chez|dans l'|en el|en la) )/g,
    nameAfter: workplaceAtStart,
    read: (match) => match[1],
  },
  {
    // Phrases that name nobody come after those that do.
    fact: 'employer',
    kinds: ['jobs'],
    asWritten: true,
    pattern:
      /\b(?:cafe|coffee shop|restaurant|pub|bar|bakery|hotel|shop|salon|garage|clinic|nursery|farm)(?= (?:is |are )?(?:now )?(?:looking|seek(?:s|ing)|needs?|hiring|requires?))|\b(?:restaurante|bar|cafeteria|hotel|taller|clinica|panaderia|tienda|peluqueria|supermercado|obrador)(?: [a-z]+){0,4}(?= (?:busca|necesita|precisa|selecciona|incorpora))|\b(?:brasserie|restaurant|boulangerie|patisserie|hotel|garage|salon|cabinet|boutique|ferme|agence|bar|pme)(?: [a-z]+){0,4}(?= (?:recherche|cherche|recrute|embauche))|\b(?:gasthaus|wirtshaus|cafe|restaurant|backerei|hotel|praxis|werkstatt|kanzlei|[a-z]*betrieb|laden|friseursalon|tischlerei|kita)(?: [a-z]+){0,4}(?= (?:sucht|braucht))|with [a-z]+ at the [a-z ]+|\bfamil(?:y|ie|le|lle|ia)\b(?![ -](?:run|owned|business|friendly|feel|hotel|company|firm|pub|practice|atmosphere|team))/g,
    read: (match) => match[0].trim(),
  },
  {
    fact: 'experienceYears',
    kinds: ['jobs', 'services'],
    pattern: new RegExp(
      `${COUNT}\\+? (?:yrs|years?|jahren?|anos?|ans?)(?: of| de| d'| in the| an)? ?(?:[a-z]+ )?(?:experience|erfahrung|experiencia|trade|teaching|berufserfahrung)|(?:experience|erfahrung|experiencia|berufserfahrung)(?: minima| minimale?| souhaitee| requise| exigee| previa| von| of| de| d'au moins| d'| min\\.)*[ :]{0,2}(?:de |d')?${COUNT}\\+? (?:yrs|years?|jahren?|anos?|ans?)(?![a-z])`,
      'g',
    ),
    read: numberWithin(1, 80),
  },
  {
    fact: 'remote',
    denied: {},
    kinds: ['jobs', 'services'],
    fields: ['remote', 'homeoffice', 'teletrabajo', 'teletravail'],
    inCategory: true,
    pattern:
      /hybrid|remote|remoto|home.?office|homeoffice|heimarbeit|von zu ?hause|from home|desde casa|teletrabajo|teletravail|por videollamada|a distance|a distancia|bundesweit|deutschlandweit|worldwide/g,
    read: Object.assign(
      (match: RegExpExecArray, text: string) => {
        const near = before(text, match, 24);
        if (
          /\b(?:no|not|kein|keine|ohne|sin|pas de|sans|apply|bewerb[a-z]*|postul[a-z]*|solicitud) (?:[a-z]+ ){0,2}$/.test(
            near,
          )
        )
          return undefined;
        return /hybrid/.test(match[0]) ||
          /(?:one|two|three|four|ein|eine[mn]?|zwei|drei|dos|tres|un|deux|trois|\d) (?:day|tag|dia|jour)/.test(
            `${near}${after(text, match, 24)}`,
          )
          ? 'hybrid'
          : 'true';
      },
      { type: 'choice' as const, choices: ['hybrid', 'true'] },
    ),
  },
  {
    fact: 'salaryMin',
    type: 'number',
    kinds: ['jobs'],
    // A range of thousands without a currency: 55k to 68k, 55-68 TEUR, 38 a 45k.
    pattern: new RegExp(
      `(?<![\\d.,a-z])((?:${numeral}) ?(?:${thousands})?) ?(?:-|–|bis|to|and|a|hasta|y|und|et) ?((?:${numeral}) ?(?:${thousands}))(?![a-z0-9])`,
      'g',
    ),
    read: (match, text) => {
      const [least, most] = [thousandsOf(match[1] ?? ''), thousandsOf(match[2] ?? '')];
      const isRange = least <= most && least * 4 >= most && most >= 10_000 && most <= 1_000_000;
      return isRange && !isExtra(text, match) ? String(least) : undefined;
    },
  },
  {
    fact: 'salaryMin',
    type: 'number',
    kinds: ['jobs'],
    fields: [
      'salary',
      'salaryfrom',
      'salarymin',
      'gehalt',
      'lohn',
      'vergutung',
      'verguetung',
      'salario',
      'sueldo',
      'salaire',
      'remuneration',
      'pay',
    ],
    pattern: new RegExp(
      `(?:[€£$]|eur|chf|usd|gbp) ?((?:${numeral})k?)|(?:((?:${numeral})k?) ?(?:€ ?|eur )?(?:-|bis|to|a|et|y|und) ?)?((?:${numeral})k?) ?(?:€|euros?|eur\\b|chf|£|brutto)`,
      'g',
    ),
    read: (match, text) => {
      const [, after, from, to] = match;
      if (isExtra(text, match)) return undefined;
      if (from !== undefined && to !== undefined) return String(lowerOf(from, to));
      const value = amountOf(after ?? to ?? '');
      return String(
        value < 1000 && /\d ?- ?\d{2}k/.test(match.input.slice(match.index, match.index + 12)) ? value * 1000 : value,
      );
    },
  },
  {
    fact: 'salaryMax',
    type: 'number',
    kinds: ['jobs'],
    fields: ['salarymax', 'salaryto', 'gehaltbis', 'salariomaximo', 'salairemax'],
    mayState: ['salary', 'gehalt', 'lohn', 'salario', 'salaire', 'pay'],
    pattern: new RegExp(
      `(?<![\\d.,a-z])[€£$]? ?((?:${numeral})) ?(${thousands}|€|euros?|eur|chf|£)? ?(?:brut|brutto)? ?(?:-|–|bis|to|and|a|hasta|y|und|et) ?[€£$]? ?((?:${numeral})) ?(${thousands})?(?: ?(?:€|euros?|eur|chf|£|brutto|brutos?|brut|p\\.?a\\.?|per annum|a year|per hour|an hour|\\/))?(?![a-z0-9])`,
      'g',
    ),
    needs: /€|£|\$|eur|chf|salar|gehalt|\d ?k\b/,
    read: (match, text) => {
      const [, first = '', , last = '', unit] = match;
      const isMoney =
        unit !== undefined || /[€£$]|eur|chf|brut|p\.?a|per annum/.test(`${match[0]}${after(text, match, 2)}`);
      const isThousands = unit !== undefined && /^(?:k|t|tsd|mil|thousand)/.test(unit);
      const [least, most] = isThousands ? [thousandsOf(first), thousandsOf(last)] : [amountOf(first), amountOf(last)];
      const isPay = isMoney && least < most && least * 4 >= most && !isExtra(text, match);
      return isPay ? String(most) : undefined;
    },
  },
  {
    fact: 'leaveDays',
    kinds: ['jobs'],
    fields: ['leavedays', 'holidays', 'urlaubstage', 'urlaub', 'vacaciones', 'conges'],
    pattern:
      /\b(\d{2}) ?(?:days?(?:'s?)?(?: of)?(?: paid)?(?: annual)? (?:holidays?|leave|vacation)|tagen? (?:jahres)?urlaub|urlaubstagen?|dias (?:laborables |naturales |habiles )?de vacaciones|jours de conges)|(?:urlaub|vacaciones|conges|annual leave)[ :]{1,2}(\d{2}) (?:days|tage|dias|jours)/g,
    read: numberWithin(10, 60),
  },
  {
    fact: 'durationMonths',
    type: 'number',
    kinds: ['jobs'],
    fields: ['durationmonths', 'duration', 'dauer', 'duracion', 'duree'],
    pattern: new RegExp(
      `(?:dauer|duration|duracion|duree|befristet(?: auf| fur)?|contract(?: of| for)?|internship(?: of| for)?|praktikum(?: uber| von| fur)?|practicas(?: [a-z]+){0,4}|contrato(?: temporal)?(?: de| por)?|cdd|stage|alternance|apprentissage|interim|sustitucion|vertretung(?: fur)?|ausbildung)(?: (?:de|d'|of|von|auf|fur|for|uber))?[ :]{1,3}(?:zunachst |initially )?${COUNT} (months?|monaten?|meses|mois|years?|jahren?|anos?|ans?)(?![a-z])|${COUNT}[ -](month|year)(?= (?:contract|fixed|internship|placement|ftc|maternity))`,
      'g',
    ),
    read: (match) => {
      const count = countOf(match[1] ?? match[3] ?? '');
      const months = /^(?:y|j|a)/.test(match[2] ?? match[4] ?? '') ? count * 12 : count;
      return months >= 1 && months <= 72 ? String(months) : undefined;
    },
  },
];

/** An amount in a range of thousands, whose unit appears only at its end or at both ends. */
function thousandsOf(text: string): number {
  const value = amountOf(text.replace(/[^\d.,' ]/g, '').trim());
  return value < 1000 ? value * 1000 : value;
}

/** Payments besides the wage: one-off, for a weekend, for travel. */
function isExtra(text: string, match: RegExpExecArray): boolean {
  return (
    /(?:pay only|only pay|pay just|deposit of|fee of|kit|solo pagas|zahlen sie nur|ne payez que)[a-z ]{0,8}$/.test(
      before(text, match, 22),
    ) ||
    /^ ?(?:for|fur|por|para|pour) (?:the |your |das |den |die |el |la |los |le |les |votre )?(?:starter|training|kit|registration|uniform|schulung|material|anmeldung|curso|inscripcion|formation|inscription|tenue)/.test(
      after(text, match, 40),
    ) ||
    /(?:bonus|pramie|praemie|zulage|zuschlag|plus|prime|prima|complemento|allowance|ticket)[a-z ]{0,12}$/.test(
      before(text, match, 22),
    ) ||
    /^ ?(?:joining|sign(?:ing)?[ -]on|welcome|referral|antritts|start)?[ -]?(?:bonus|pramie|zulage|zuschlag|prime\b|allowance)/.test(
      after(text, match, 26),
    )
  );
}

/** The lower end of a range such as 3.000 - 3.500 or 40-45k; the upper end if the first number is not part of the range. */
function lowerOf(from: string, to: string): number {
  const most = amountOf(to);
  const least = amountOf(from) * (/k$/.test(to) && !/k$/.test(from) ? 1000 : 1);
  return least <= most && least * 4 >= most ? least : most;
}
