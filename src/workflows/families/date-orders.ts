/** What comes before what, by the folded words of two date fields, in English, German, Spanish and French. */
export interface DateOrder {
  earlier: RegExp;
  later: RegExp;
}

const birth = /birth|\bborn\b|\bdob\b|geburt|geboren|nacimiento|naissance|\bnee? le\b/;
const happening =
  /incident|accident|damage|\bloss\b|theft|happen|occur|offence|schaden|unfall|vorfall|ereignis|diebstahl|einbruch|siniestro|accidente|incidente|suceso|hechos|\brobo\b|averia|sinistre|dommage|degat|\bfaits\b|survenu|panne/;
const start =
  /start|begin|\bfrom\b|arriv|check ?in|pick ?up|ship|\bvon\b|\bab\b|anreise|ankunft|abholung|inicio|comienz|empieza|\bdesde\b|entrada|llegada|recogida|\bcarga\b|verlad|belad|\bloading\b|chargement|enlevement|debut|\bdepuis\b|arrivee|entree|prise en charge|a partir du|commence/;
const end =
  /\bend(s|ing|e)?\b|until|\bto\b|depart|check ?out|return|deliver|finish|\bbis\b|\w{3,}ende\b|abreise|ruckgabe|ruckkehr|\bfin\b|final|termina|\bhasta\b|salida|entrega|zustell|liefer|livraison|devolucion|regreso|retour|restitution|jusqu|sortie|fini\b/;

export const dateOrders: readonly DateOrder[] = [
  {
    earlier:
      /issue|invoice ?date|rechnungsdatum|emision|emission|datum der rechnung|fecha de (la )?factura|date de (la )?facture/,
    later: /\bdue|payable|fallig|zahlbar|zahlungsziel|vencimiento|echeance/,
  },
  { earlier: start, later: end },
  {
    earlier: /outbound|outward|departure|\bhin(flug|reise|fahrt)|abflug|\bida\b|\baller\b|vol aller|depart\b/,
    later: /return|inbound|\bruck(flug|reise|fahrt|kehr)|vuelta|regreso|\bretour\b/,
  },
  {
    earlier: happening,
    later:
      /report|notif|notice|discover|repair|claimed|gemeldet|meldung|anzeige|angezeigt|entdeckt|festgestellt|reparatur|repariert|denuncia|comunic|declarad|declaracion|avis|repara|declar|signal|constat|plainte|deposee/,
  },
  {
    earlier: /purchase|bought|order|kauf|bestell|compra|pedido|achat|achete|commande/,
    later:
      /deliver|receiv|return|sent back|defect|liefer|erhalten|zuruck|ruckgabe|rucksend|defekt|mangel|reklam|entrega|recib|recepcion|devol|defecto|averia|fallo|livr|recu\b|reception|retour|defaut|panne/,
  },
  {
    earlier: /issue|ausgestellt|ausstellung|expedi|emision|emis\b|delivr/,
    later: /expir|valid|gultig|ablauf|caduc|vencim|valable/,
  },
  {
    earlier: /hire|joined|joining|employment start|eintritt|einstellung|\balta\b|incorporacion|embauche/,
    later:
      /\bleft\b|leaving|last day|resign|dismiss|austritt|letzter|kundigung|\bbaja\b|ultimo dia|cese|depart|dernier jour/,
  },
  {
    earlier: /admission|admitted|aufnahme|ingreso/,
    later: /discharge|entlass|alta medica|fecha de alta|sortie/,
  },
  {
    earlier: /\b(return|inbound)|\bruck(flug|reise|fahrt|kehr)|vuelta|regreso|\bretour\b/,
    later:
      /(passport|\bvisa\b|reisepass|pasaporte|passeport|\bpass\b).*(expir|valid|gultig|ablauf|caduc|vencim|valable)|(expir|valid|gultig|ablauf|caduc|vencim|valable).*(passport|\bvisa\b|reisepass|pasaporte|passeport|\bpass\b)/,
  },
  {
    earlier: birth,
    later:
      /issue|founded|start|expir|valid|hire|employ|licen|since|death|marri|graduat|incident|accident|purchase|ausgestellt|seit\b|tod|sterb|heirat|eheschliess|abschluss|unfall|schaden|eintritt|fuhrerschein|expedi|desde|fallec|defuncion|matrimonio|boda|siniestro|accidente|alta\b|delivr|depuis|deces|mariage|sinistre|embauche|permis/,
  },
];
