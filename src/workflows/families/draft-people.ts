// Who writes to whom, as the names of facts tell it.
import { foldText } from '../../base/text/fold.ts';
import { spaced } from '../../base/text/spaced.ts';
import { bareName, type DraftKind, draftWords } from '../packs/draft-kinds.ts';
import type { DraftLanguage } from '../packs/draft-language.ts';
import { ideasSaidBy } from '../packs/draft-names.ts';
import type { Assigned, Slot } from './draft-slots.ts';
import type { TidyFact } from './draft-tidy.ts';
import type { DraftLocale } from './draft-values.ts';

/** Whether the writer's own contract or purchase is the matter, so that a customer or a tenant may be the one who writes. */
export function isWritersOwn({ id }: DraftKind, isEnding: boolean, occasion: string | undefined): boolean {
  return (
    isEnding ||
    id === 'complaint' ||
    (occasion !== undefined && draftWords.get('en')?.occasions[occasion]?.isOwn === true)
  );
}

/** Names of who sells or lets something, to whom its buyer writes. */
const sellers: readonly string[] = [
  ...[
    'seller',
    'vendor',
    'shop',
    'store',
    'retailer',
    'dealer',
    'merchant',
    'hotel',
    'airline',
    'landlord',
    'verkaufer',
  ],
  ...['verkauferin', 'handler', 'haendler', 'laden', 'onlineshop', 'vermieter', 'vermieterin', 'vendedor', 'vendedora'],
  ...['tienda', 'comercio', 'casero', 'casera', 'arrendador', 'vendeur', 'vendeuse', 'magasin', 'boutique', 'bailleur'],
];

/** Names of who has a contract or has bought something, without "name". */
const customers: ReadonlySet<string> = new Set([
  ...['customer', 'client', 'member', 'guest', 'subscriber', 'accountholder', 'policyholder', 'insured', 'passenger'],
  ...['buyer', 'purchaser', 'contractholder', 'kunde', 'kundin', 'kunden', 'mitglied', 'versicherungsnehmer', 'gast'],
  ...['versicherungsnehmerin', 'versicherter', 'versicherte', 'fahrgast', 'kaufer', 'kauferin', 'kontoinhaber'],
  ...['vertragsinhaber', 'cliente', 'clienta', 'socio', 'socia', 'asegurado', 'asegurada', 'titular', 'abonado'],
  ...['abonada', 'huesped', 'pasajero', 'pasajera', 'comprador', 'compradora', 'cliente', 'assure', 'assuree'],
  ...[
    'preneurassurance',
    'tomador',
    'tomadora',
    'tomadorseguro',
    'adherent',
    'adherente',
    'abonne',
    'abonnee',
    'titulaire',
    'voyageur',
    'voyageuse',
    'acheteur',
    'acheteuse',
  ],
]);

/** Whether a fact is called by the writer's part in a contract or a purchase: "customer", "nombre del cliente". */
export function isCustomer(name: string): boolean {
  const words = foldText(spaced(name)).match(/\p{L}+/gu) ?? [];
  const bare = words.filter((word) => !nameOf.has(word) && !articles.has(word)).join('');
  return customers.has(bare.replace(/(?<=.)name$/, ''));
}

// Who deals with a matter in an office; a "contact" may be a department that signs nothing.
const inCharge = ['agent', 'manager', 'director', 'technician'];

/** Lets the one who deals with the matter sign where nobody else does. */
export function letSign({ slots, isOwn }: Assigned): void {
  const contact = slots.get('contact');
  if (contact === undefined || contact.isOpen || slots.has('sender') || isOwn || !signable.test(contact.text)) return;
  const said = ideasSaidBy(contact.name);
  if (said.has('contact') || !inCharge.some((idea) => said.has(idea))) return;
  slots.delete('contact');
  slots.set('sender', contact);
}

/** Whether an institution now signs below the person who signs for it. */
export function signsBeside(
  { id }: DraftKind,
  { text, isOpen, meanings = [] }: Slot,
  { slots, isOwn }: Assigned,
): boolean {
  const sender = slots.get('sender');
  if (sender === undefined || sender.isOpen || isOpen || isOwn || !signable.test(text)) return false;
  if (meanings[0]?.id !== 'institution' || (kindsOfOthers.has(id) && id !== 'job_reference')) return false;
  slots.set('sender', { ...sender, text: `${sender.text}\n${text}` });
  return true;
}

// A name, and no number, address or office hours.
const signable = /^\p{Lu}[^\d@:;]{2,60}$/u;

const namesByKind = new Map<DraftKind, Map<string, ReadonlyMap<string, string>>>();

/** The names of a kind's fields for readers of a language; there are as many such maps as kinds, languages and senders. */
export function namesOf(
  kind: DraftKind,
  { isEnding, isOwn }: Assigned,
  { language }: DraftLocale,
  told: readonly TidyFact[],
): ReadonlyMap<string, string> {
  const known = kind.byName.get(language);
  // Beside whom it is sent to, a bare name is that of who sends it.
  const isReader = (name: string) => known?.get(name) === 'recipient' || sellers.includes(name);
  const isToAnother = isOwn && told.some(({ name }) => isReader(bareName(name)) && !isCustomer(name));
  const ofKind = namesByKind.get(kind) ?? new Map<string, ReadonlyMap<string, string>>();
  namesByKind.set(kind, ofKind);
  const key = `${language} ${isEnding} ${isOwn} ${isToAnother}`;
  const names = ofKind.get(key) ?? makeNames(kind, { isEnding, isOwn, isToAnother }, language);
  ofKind.set(key, names);
  return names;
}

function makeNames(
  kind: DraftKind,
  { isEnding, isOwn, isToAnother }: { isEnding: boolean; isOwn: boolean; isToAnother: boolean },
  language: DraftLanguage,
): ReadonlyMap<string, string> {
  const known = kind.byName.get(language) ?? new Map<string, string>();
  // Where no reason is given, the "motivo" and "Anlass" of an invitation is what it is to.
  const own =
    kind.fields.has('subject') && !kind.fields.has('reason')
      ? new Map([...reasons.map((name) => [name, 'subject'] as const), ...known])
      : known;
  // A tenant gives notice and complains; everything else is written to them.
  const role = isOwn ? 'sender' : 'recipient';
  const roles = kindsOfOthers.has(kind.id) ? [] : readers.map((name) => [name, 'recipient'] as const);
  const writers = isToAnother ? bareNames.map((name) => [name, 'sender'] as const) : [];
  const others = isOwn ? sellers.map((name) => [name, 'recipient'] as const) : [];
  const names = new Map([...roles, ...others, ...writers, ...tenants.map((name) => [name, role] as const), ...own]);
  if (!isEnding) return names;
  // When giving up a flat, people give its address.
  const places = draftWords.get(language)?.names.place ?? [];
  const given = places.map(bareName).filter((name) => (names.get(name) ?? 'place') === 'place');
  return new Map([
    ...[...names].map(([name, field]) => [name, datesOfChange.has(field) ? 'endsOn' : field] as const),
    ...given.map((name) => [name, 'contract'] as const),
  ]);
}

const reasons: readonly string[] = [...draftWords.values()].flatMap(({ names }) => (names.reason ?? []).map(bareName));
/** How the head of a memo names who writes and who reads; with a day, "from" says when something begins. */
export const memoHeads: ReadonlyMap<string, string> = new Map([
  ...['from', 'von', 'de', 'delapartde'].map((name) => [name, 'sender'] as const),
  ...['to', 'an', 'a', 'para', 'pour', 'alattentionde'].map((name) => [name, 'recipient'] as const),
]);
/** Here "from" and "to" may be places between which somebody travels. */
const travels: ReadonlySet<string> = new Set(['', 'offer', 'confirmation', 'invitation', 'listing_text']);
const destinations: ReadonlySet<string> = new Set([
  ...['to', 'destination', 'nach', 'an', 'bis', 'ziel', 'zielort', 'a', 'hasta', 'destino', 'vers', 'jusqua'],
]);

/** Whether "from" and "to" are places: then both are given, and neither is a person. */
export function isJourney({ id }: DraftKind, told: readonly TidyFact[]): boolean {
  return (
    travels.has(id) && told.some(({ name, text }) => destinations.has(bareName(name)) && !titled.test(foldText(text)))
  );
}
const tenants = ['tenant', 'mieter', 'mieterin', 'inquilino', 'inquilina', 'locataire'];
const bareNames = ['name', 'fullname', 'nombre', 'nombreyapellidos', 'nom', 'nometprenom', 'vorundnachname'];
/** Names that mean the reader where a kind has no other field for them. */
const readers = [
  ...bareNames,
  ...['employee', 'colleague', 'student', 'parents', 'participant', 'attendee', 'guests', 'visitor'],
  ...[
    'mitarbeiter',
    'mitarbeiterin',
    'kollege',
    'kollegin',
    'schuler',
    'schulerin',
    'eltern',
    'teilnehmende',
    'besucher',
  ],
  ...[
    'empleado',
    'empleada',
    'trabajador',
    'trabajadora',
    'companero',
    'companera',
    'alumno',
    'alumna',
    'padres',
    'participante',
  ],
  ...[
    'salarie',
    'salariee',
    'collegue',
    'eleve',
    'parents',
    'participant',
    'participante',
    'stagiaire',
    'famille',
    'familie',
  ],
];
/** Kinds whose bare names are of somebody else, or of who writes. */
export const kindsOfOthers: ReadonlySet<string> = new Set([
  'sick_note',
  'leave_request',
  'job_reference',
  'complaint',
  'listing_text',
  'internal_memo',
  'meeting_summary',
]);
/** Nobody signs with a title before the name. */
export const titled = /^(?:mr|mrs|ms|miss|dr|herrn?|frau|familie|sra?|don|dona|senora?|mme|mlle|madame|monsieur|m)[. ]/;
const datesOfChange: ReadonlySet<string> = new Set(['effectiveDate', 'date']);

/** The word "name" in four languages. */
export const nameOf: ReadonlySet<string> = new Set(['name', 'nombre', 'nom']);
export const articles: ReadonlySet<string> = new Set([
  ...['the', 'of', 'our', 'your', 'der', 'die', 'das', 'des', 'dem', 'den'],
  ...['de', 'del', 'la', 'el', 'los', 'las', 'le', 'les', 'du', 'd', 'l'],
]);
