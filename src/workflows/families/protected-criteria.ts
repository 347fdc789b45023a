import { foldText } from '../../base/text/fold.ts';
import type { Constraint } from '../../gen/intelligence/workflow/v1/decision_pb.ts';
import { jsonOf, type Plain } from '../family.ts';
import type { DecisionRequest } from './decision-memo.ts';

/** Nothing but a person has these. */
const ofPeopleOnly =
  /\b(?:pregnan\w*|maternity|schwanger\w*|mutterschutz|embaraz\w*|maternidad|enceinte|grossesse|maternite|sexual orientation|sexuelle orientierung|orientacion sexual|orientation sexuelle|skin colou?r|hautfarbe|color de piel|couleur de peau|marital status|familienstand|estado civil|situation familiale)\b/;

/** Things have these, too: a house has an age, wine has an origin. */
const ofPeople =
  /\b(?:age|gender|sex|religio\w*|faith|ethnic\w*|race|nationality|citizenship|origin|disabilit\w*|disabled|children|union membership|political opinion|alter|geschlecht|konfession|glaube|ethnie|herkunft|staatsangehorigkeit|nationalitat|behinder\w*|schwerbehindert\w*|kinder|kinderwunsch|gewerkschaft\w*|edad|sexo|genero|religion|etnia|raza|nacionalidad|origen|discapacidad|hijos|sindicato|afiliacion sindical|sexe|genre|nationalite|origine|handicap\w*|enfants|appartenance syndicale)\b/;

/** An age, and nothing else of those above. */
const ofAge = /\b(?:age|alter|edad)\b/;
/** Below this, laws forbid some work and some contracts; an age that is asked for above it is the chooser's own wish. */
const legalAgeMax = 21;

/** "At least 18" only keeps what a law demands; "at most 35", and "at least 50", prefer an age. */
function isLegalAge({ operator, value }: Plain<Constraint>, folded: string): boolean {
  if (!ofAge.test(folded) || (operator !== '>=' && operator !== '>')) return false;
  const limit = jsonOf(value);
  const years = typeof limit === 'string' && limit.trim() === '' ? Number.NaN : Number(limit ?? Number.NaN);
  return years > 0 && (operator === '>' ? years + 1 : years) <= legalAgeMax;
}

/** The thing is made for people with it. */
const forThem = /\b(?:access\w*|friendly|parking|facilities|seats?|accesible|accesibilidad|acces|gerecht|freundlich)\b/;

const isAboutPeople =
  /\b(?:hir(?:e|ing)|candidate\w*|interviewees?|trainees?|apprentice\w*|flatmates?|housemates?|lodgers?|applica(?:nt|tion)s?|employ\w*|promot\w*|tenants?|dismiss\w*|lay off|redundan\w*|recruit\w*|whom?|bewerb\w*|einstell\w*|anstell\w*|stellenbesetzung|azubis?|auszubildende\w*|praktikant\w*|mitbewohner\w*|untermieter\w*|kandidat\w*|mieter\w*|befordern|kundigen|entlass\w*|mitarbeiter\w*|wen|wem|wer|contratar\w*|candidat\w*|aspirantes?|postulantes?|solicitantes?|entrevistad\w*|becari\w*|aprendi(?:z|ces)|companer\w* de piso|arrendatari\w*|trabajador\w*|puesto de trabajo|inquilin\w*|emplead\w*|despedi\w*|ascend(?:er|emos|o)|a quien|quien|embauch\w*|engager|postulants?|apprentis?|stagiaires?|alternants?|colocataires?|promouvoir|locataires?|licenci\w*|salarie\w*|recrut\w*|qui)\b/;

/**
 * The criteria, and the attributes of constraints, by which people must not be chosen or left out: characteristics that laws against
 * discrimination protect (in the EU, Charter of Fundamental Rights, article 21).
 */
export function protectedCriteria({ question, options, criteria, constraints }: DecisionRequest): string[] {
  const asked = foldText(`${question} ${options.map(({ name }) => name).join(' ')}`.slice(0, askedMax));
  const aboutPeople = isAboutPeople.test(asked);
  const deciding = [
    ...criteria.filter(({ weight }) => weight !== 0).map(({ name }) => name),
    ...constraints.filter((one) => !isLegalAge(one, spoken(one.attribute))).map(({ attribute }) => attribute),
  ];
  return [...new Set(deciding)].filter((name) => {
    const folded = spoken(name);
    return !forThem.test(folded) && (ofPeopleOnly.test(folded) || (aboutPeople && ofPeople.test(folded)));
  });
}

function spoken(name: string): string {
  return foldText(name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/_/g, ' '));
}

const askedMax = 4_000;
