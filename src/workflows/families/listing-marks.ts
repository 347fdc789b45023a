import type { Spotted } from './spotted.ts';

// A job advertisement says where to apply.
const applicationDetails: ReadonlySet<string> = new Set(['email-address', 'telephone-number']);

// Only dealers owe the rights of consumers; a private seller may take nothing back.
const privateSale =
  /privatverkauf|von privat|private (?:sale|seller)|venta (?:privada|entre particulares)|entre particuliers|vente (?:privée|de particulier)/i;

// Sellers of goods say what it costs to send them.
const parcel = /^(?:colis|parcels?|pakete?|päckchen|paquetes?)$/i;

// Puppies and kittens are sold with both.
const animalCare =
  /^vaccinated(?:,| and| &)? (?:(?:wormed|dewormed|health[ -]checked|vet[ -]checked)(?:,| and| &)? )?microchipped$/i;

// Words that are in every advertisement for a flat or a job. Beside a phrase that does exclude people, they would only add findings.
const everyday =
  /^(?:apply|full[ -]time|part[ -]time|per hour|flat|let|to let|room|rent|job|vollzeit|teilzeit|pro stunde|wohnung|zimmer|miete|bewerben|jornada completa|por hora|piso|habitación|alquiler|temps plein|temps partiel|par heure|appartement|chambre|loyer)$/i;

/** What was found in a listing, without what is in order in one of its kind. */
export function harmfulIn(text: string, found: readonly Spotted[], isJob: boolean): Spotted[] {
  if (found.length === 0) return [];
  const isPrivate = privateSale.test(text);
  const shutsOut = ({ entry }: Spotted) => entry.category.startsWith('discrimination_');
  const isEveryday = (one: Spotted) => shutsOut(one) && everyday.test(text.slice(one.start, one.end));
  const hasOther = found.some((one) => shutsOut(one) && !isEveryday(one));
  return found.filter((one) => {
    const { entry, start, end } = one;
    if (isJob && applicationDetails.has(entry.id)) return false;
    if (isPrivate && entry.category === 'unfair_terms') return false;
    if (!isJob && entry.category === 'advance_fee' && parcel.test(text.slice(start, end))) return false;
    if (entry.category === 'misleading_health' && animalCare.test(text.slice(start, end))) return false;
    return !(hasOther && isEveryday(one));
  });
}
