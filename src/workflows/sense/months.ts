/**
 * The months, January first, in lower case and without accents: in full and as people shorten them, in English, German, Spanish and
 * French. They are whole words: "Markt", "marca" and "decorated" are no months.
 */
export const monthNames: readonly (readonly string[])[] = [
  ['january', 'jan', 'januar', 'janner', 'jaenner', 'enero', 'ene', 'janvier', 'janv'],
  ['february', 'feb', 'febr', 'februar', 'feber', 'febrero', 'fevrier', 'fevr', 'fev'],
  ['march', 'mar', 'marz', 'maerz', 'mrz', 'marzo', 'mars'],
  ['april', 'apr', 'abril', 'abr', 'avril', 'avr'],
  ['may', 'mai', 'mayo'],
  ['june', 'jun', 'juni', 'juno', 'junio', 'juin'],
  ['july', 'jul', 'juli', 'julio', 'juillet', 'juil'],
  ['august', 'aug', 'agosto', 'ago', 'aout', 'aou'],
  ['september', 'sept', 'sep', 'septiembre', 'setiembre', 'set', 'septembre'],
  ['october', 'oct', 'oktober', 'okt', 'octubre', 'octobre'],
  ['november', 'nov', 'noviembre', 'novembre'],
  ['december', 'dec', 'dezember', 'dez', 'diciembre', 'dic', 'decembre'],
];
