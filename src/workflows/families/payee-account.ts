import { foldText } from '../../base/text/fold.ts';

const nearUnits = 160;
const lookedAtUnits = 20_000;

// What asks for money that is owed. The words are folded: lower case, no accents.
const bill =
  /\b(?:invoices?|bill|payment reminder|statement of account|amount due|rechnung(?:en|s\w*)?|honorarnote|zahlungserinnerung|mahnung|gesamtbetrag|rechnungsbetrag|mitgliedsbeitrag|facturas?|recibo|recordatorio de pago|importe total|cuota|factures?|rappel de paiement|relance|montant du|cotisation|note d'honoraires)\b/;

// Whose account it is, right before its number: the writer's, or that of a letterhead.
const payee =
  /\b(?:our|unser(?:e[mns]?)?|nuestr[ao]s?|notre|nos)\b[^.!?]{0,60}$|\b(?:bankverbindung|bank ?details|payable to|pay to|zahlbar (?:an|auf)|kontoinhaber|datos bancarios|domiciliacion|coordonnees bancaires|rib|beneficiario|beneficiaire|folgendes konto|esta cuenta|ce compte|transfer the amount to|iban)\b[^.!?]{0,60}$/;

// A number that takes the place of another, or that goes to a person, is how invoices are turned aside.
const diverted =
  /\b(?:new|changed?|updated|instead|different|neue[nrsm]?|geandert\w*|aktualisiert\w*|statt|stattdessen|kunftig|nuev[ao]s?|cambi\w*|actualiz\w*|en lugar|nouve(?:au|lle)s?|chang\w*|modifi\w*|desormais|private?s?|privat\w*|privad[ao]s?|prive\w*|personal\w*|personnel\w*|urgent\w*|dringend\w*|sofort|immediat\w*|inmediat\w*|abroad|ausland|extranjero|etranger)\b/;

// Whoever ends a contract says where what is left over goes.
const ending =
  /\b(?:hereby (?:terminate|give)|notice to (?:end|quit)|ending (?:our|my|the) (?:tenancy|lease|contract)|kundige|kundigen|kundigung|rescindo|rescindimos|dar de baja|dejare|dejaremos|resilie|resilions|resilier|donne conge|donnons conge)\b/;
const oneself = /\b(?:my|mein(?:e[mns]?)?|mi|mon|our|unser(?:e[mns]?)?|nuestra|notre)\b[^.!?]{0,60}$/;

/** Whether an account number is where a bill asks its reader to pay to, or a contract's end to pay back: the text needs it. */
export function isPayeesAccount(text: string, start: number): boolean {
  const before = foldText(text.slice(Math.max(0, start - nearUnits), start));
  const whole = foldText(text.slice(0, lookedAtUnits));
  const isNeeded = (payee.test(before) && bill.test(whole)) || (oneself.test(before) && ending.test(whole));
  return isNeeded && !diverted.test(whole);
}
