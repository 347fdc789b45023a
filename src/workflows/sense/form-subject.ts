import { wordsOf } from './field-meaning.ts';

interface Asked {
  name: string;
  label: string;
}

/** What a form is about, as far as its own words reveal it. */
export interface FormSubject {
  /** Who fills it in has to be of age: it asks for an identity document, a job, a loan or a licence to drive. */
  isForAdults: boolean;
  /** It asks for days to come: a booking, an appointment or an event. */
  isBooking: boolean;
}

const adults =
  /(document|ausweis|documento|piece) ?(type|number|nummer|art|d'identite)|identity document|ausweisdokument|passport|reisepass|pasaporte|passeport|driv(er|ing)('?s)? licen[cs]e|fuhrerschein|permiso de conducir|carnet de conducir|permis de conduire|\b(loan|kredit|credit amount|prestamo|pret)\b|(net|monthly|annual) income|einkommen|ingresos|revenus|employer|arbeitgeber|empleador|employeur|position you|stelle\b|gehaltswunsch|work permit|years of experience|berufserfahrung|experiencia laboral|marital status|familienstand|estado civil|account opening|kontoeroffnung/;
const children =
  /\b(child|children|pupil|student|minor|kind|kindes|kinder|schuler\w*|schul\w*|kita|eltern\w*|erziehungsberechtigt\w*|alumn\w*|nin[oa]s?|hij[oa]s?|menor|tutor\w*|padres?|madre|enfants?|eleves?|parents?|responsable legal|scolaire|classe|klasse|guardian|apprentic\w*|ausbildung|praktik\w*)\b/;

const bookings =
  /\b(booking|reservation|reserva|reservations?|appointment|cita|rendez vous|guests?|gaste\w*|huespedes|invites|event ?(date|kind)|veranstaltung\w*|evento|evenement|seminaire|check ?in|anreise|\w*buchung\w*|\w*reservierung\w*|terminvereinbarung|terminanfrage|bestuhlung|hochzeit|wedding|boda|mariage)\b/;
const lookingBack =
  /claim|complain|schaden|reklam|beschwerde|siniestro|reclam|sinistre|plainte|refund|erstatt|reembols|rembours|feedback|review|survey|umfrage|bewertung|encuesta|enquete|expense|spesen|reisekosten|dietas|frais|insur|versicher|seguro|assur|invoice|rechnung|factura|facture|report|bericht|informe|rapport|cancel|storn|annul/;

/** The subject of a form, from its name and its fields. */
export function formSubjectOf(name: string, fields: readonly Asked[]): FormSubject {
  const words = [wordsOf(name, ''), ...fields.map((field) => wordsOf(field.name, field.label))].join(' | ');
  return {
    isForAdults: adults.test(words) && !children.test(words),
    isBooking: bookings.test(words) && !lookingBack.test(words),
  };
}
