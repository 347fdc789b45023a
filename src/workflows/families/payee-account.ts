import { foldText } from '../../base/text/fold.ts';

const nearUnits = 160;
const lookedAtUnits = 20_000;

// Words of a request for money owed, folded: lower case, no accents.
const bill =
  /\b(?:invoices?|bill|payment reminder|statement of account|amount due|rechnung(?:en|s\w*)?|honorarnote|zahlungserinnerung|mahnung|gesamtbetrag|rechnungsbetrag|mitgliedsbeitrag|facturas?|recibo|recordatorio de pago|importe total|cuota|factures?|rappel de paiement|relance|montant du|cotisation|note d'honoraires)\b/;

// Whose account it is, right before its number: the writer's, or a letterhead's.
const payee =
  /\b(?:our|unser(?:e[mns]?)?|nuestr[ao]s?|notre|nos)\b[^.!?]{0,60}$|\b(?:bankverbindung|bank ?details|payable to|pay to|zahlbar (?:an|auf)|kontoinhaber|datos bancarios|domiciliacion|coordonnees bancaires|rib|beneficiario|beneficiaire|folgendes konto|esta cuenta|ce compte|transfer the amount to|iban)\b[^.!?]{0,60}$/;

// Invoice fraud replaces one account number by another, or by a private person's.
const diverted =
  /\b(?:new|changed?|updated|instead|different|neue[nrsm]?|geandert\w*|aktualisiert\w*|statt|stattdessen|kunftig|nuev[ao]s?|cambi\w*|actualiz\w*|en lugar|nouve(?:au|lle)s?|chang\w*|modifi\w*|desormais|private?s?|privat\w*|privad[ao]s?|prive\w*|personal\w*|personnel\w*|urgent\w*|dringend\w*|sofort|immediat\w*|inmediat\w*|abroad|ausland|extranjero|etranger)\b/;

// Monthly or shared payments between people: the reader needs the number for them.
const everyday =
  /\b(?:rent|(?:monats|kalt|warm)?miete|nebenkosten|betriebskosten|hausgeld|standing order|dauerauftrag|alquiler|comunidad|loyer|charges|(?:my|your) (?:half|share|part)|(?:mein|dein)(?:e|en)? (?:halfte|anteil|teil)|(?:mi|tu) (?:mitad|parte)|(?:ma|ta) (?:moitie|part)|as (?:agreed|always|usual)|wie (?:vereinbart|immer|besprochen)|como siempre|como acordamos|comme (?:convenu|d'habitude))\b/;
// Strangers ask for deposits, too; a landlord's message says what the deposit is for.
const deposit = /\b(?:deposit|kaution|fianza|caution)\b/;
const tenancy =
  /\b(?:tenan(?:cy|ts?)|lease|landlord|contract|flat|apartment|room|keys?|move|miet\w*|wohnung\w*|vertrag\w*|zimmer|schlussel\w*|einzug|vermieter\w*|piso|contrato|inquilin\w*|casero|arrend\w*|habitacion|llaves|bail|appartement|logement|contrat|chambre|proprietaire|locataire|cles|emmenag\w*)\b/;
const payment =
  /\b(?:transf\w*|pay|paid|send|uberweis\w*|zahl\w*|bezahl\w*|schick\w*|ingres\w*|pag\w*|bizum|a es\d|vire[rz]?|virement|verse[rz]?|regler|reglez|payer|payez)\b/;
// Asking for money before a viewing, or from far away, is not what an ordinary landlord does.
const unseen =
  /\b(?:viewing|besichtig\w*|visita\w*|visite\w*|reserv\w*|in advance|vorab|im voraus|vorher|por adelantado|antes de|a l'avance|avant la|keys? by|schlussel per|llaves por|cles par|western union|abroad|deployed|on (?:a )?mission)\b/;

// When ending a contract, people say where to send any money left over.
const ending =
  /\b(?:hereby (?:terminate|give)|notice to (?:end|quit)|ending (?:our|my|the) (?:tenancy|lease|contract)|kundige|kundigen|kundigung|rescindo|rescindimos|dar de baja|dejare|dejaremos|resilie|resilions|resilier|donne conge|donnons conge)\b/;
const returned =
  /\b(?:refund\w*|reimburse\w*|pay (?:me )?back|ruckzahl\w*|zuruckzahl\w*|ruckerstatt\w*|erstatt\w*|reembols\w*|devol\w*|devuelv\w*|rembours\w*|restitu\w*)\b/;
const oneself = /\b(?:my|mein(?:e[mns]?)?|mi|mon|our|unser(?:e[mns]?)?|nuestra|notre)\b[^.!?]{0,60}$/;

/**
 * Whether an account number is where a bill, a landlord or a friend asks the reader to pay, or where money due is to be
 * returned: the text needs it.
 */
export function isPayeesAccount(text: string, start: number): boolean {
  const before = foldText(text.slice(Math.max(0, start - nearUnits), start));
  const whole = foldText(text.slice(0, lookedAtUnits));
  const isBilled = payee.test(before) && bill.test(whole);
  const isReturned = oneself.test(before) && (ending.test(whole) || returned.test(whole));
  const isOwed = everyday.test(whole) || (deposit.test(whole) && tenancy.test(whole));
  const isEveryday = isOwed && payment.test(whole) && !unseen.test(whole);
  return (isBilled || isReturned || isEveryday) && !diverted.test(whole);
}
