import { amountOf, numeral } from '../plain-text.ts';
import { after, before, type FactPattern } from './pattern.ts';

/** Words before an amount that is not the asking price. */
const otherPrice =
  /(?:neupreis|\bnp|listenpreis|kaution|gekostet|bezahlt|\buvp|prix neuf|paye[es]*|achete[es]* |caution|depot de garantie|precio nuevo|\bcosto|pague|fianza|deposit|cost (?:me|new)|paid|\brrp|new price|was|statt|instead of|originally|anfahrt(?:spauschale)?|call.?out|travel|fahrtkosten|deplacement|desplazamiento|anzahlung|senal de|senal|reserva|acompte|arrhes|hausgeld|nebenkosten|\bnk|heizkosten|comunidad|gastos|charges|taxe fonciere|\bibi|service charge|ground rent|council tax|\bhoa|steuer|versicherung|haftpflicht|responsabilidad civil|responsabilite civile|liability|versand(?:kosten)?|porto|shipping|postage|posting|p&p|delivery|batteri[ae] (?:en |a |de )?(?:location|alquiler|renting)|batteriemiete|akkumiete|battery (?:lease|hire|rental)|road tax|\bved|envio|franqueo|livraison|frais de port|port|expedition)[a-z :(]{0,16}(?:bis |de |of |von |up to |hasta )?$/;

/** What the thing once cost, by its invoice. */
const invoiced = /\b(?:facture|factura|rechnung|invoice)(?: (?:d'achat|de compra|de|of|uber|von|for|por|a))*[ :]{1,3}$/;

/** What follows an amount that is paid for something else: for sending the thing, or as a tax. */
const forOther =
  /^ ?(?:(?:a|per|im|al|par) (?:year|jahr|ano|an) )?(?:road ?tax|tax\b|ved\b|kfz-?steuer|steuer\b|impuesto|ground rent|service charge)|^ ?(?:for|fur|por|para|pour) (?:the |your |das |den |el |la |le |les |votre )?(?:starter|training|registration|schulung|anmeldung|inscripcion|formation|inscription)|^ ?(?:for |fur |fur den |de |por |por el |pour |pour l'|les |le |l')?(?:frais de port|frais d'envoi|gastos de envio|postage|p&p|shipping|delivery|posting|versand|porto|envio|franqueo|port\b|livraison|expedition)/;

/** All of it together is the asking price. */
const inclusive =
  /\b(?:(?:inkl|incl|including|incluid|compris|inclus|plus|warm)[a-z.]*|mit|con|avec) (?:[a-z]+ ){0,2}[a-z :(]{0,16}$/;

/** The asking price of any thing. */
export const pricePatterns: readonly FactPattern[] = [
  {
    fact: 'price',
    type: 'number',
    kinds: [],
    pattern: new RegExp(
      `(?:[€£$]|\\b(?:eur|chf|usd|gbp)) ?((?:${numeral})k?)(?!\\d)|(?<![\\d.,])((?:${numeral})k?) ?(?:€|euros?\\b|eur\\b|£|quid|\\$|chf\\b|vb\\b)|(?<![\\d.,])((?:${numeral})) (?:per hour|an hour|online|por hora|die stunde|pro stunde|de l'heure)`,
      'g',
    ),
    read: (match, text) =>
      forOther.test(after(text, match, 34)) ||
      invoiced.test(before(text, match, 34)) ||
      (otherPrice.test(before(text, match, 30)) && !inclusive.test(before(text, match, 44)))
        ? undefined
        : String(amountOf(match[1] ?? match[2] ?? match[3] ?? '')),
  },
];
