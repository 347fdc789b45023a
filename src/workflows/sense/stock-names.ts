import { foldText } from '../../base/text/fold.ts';
import type { Meaning } from './field-meaning.ts';

// What stands in samples, and what people type who do not want to say their name; in English, German, Spanish and French, folded.
const stock: Readonly<Partial<Record<Meaning, RegExp>>> = {
  person:
    /^(.{0,20} ?muster(mann|frau)|(max|hans|peter|petra|erika) muster|(john|jane) (doe|roe)|joe bloggs|john q public|(test(er)?|demo|fake|dummy|sample|example)( (test(er)?|user|name|person|customer|kunde|kundin|nutzer|usuario|cliente|utilisateur|client))?|(your|my|ihr|dein|mein|su|tu|mi|votre|ton|mon) (full )?(name|vorname|nombre|nom)|(first|last|full|given|family) ?name|first ?name last ?name|firstname surname|name surname|vorname,? nachname|vor und nachname|nombre y? ?apellidos?|fulan[oa]( de tal)?|fulanit[oa]( de tal)?|mengan[oa]|perengan[oa]|zutan[oa]|juan nadie|pepito perez|prenom,? nom|nom,? prenom|nom et prenom|((monsieur|madame|m|mme)\.? )?(un|une) ?tel(le)?|mickey mouse|micky maus|donald duck|superman|batman|anonymous|anonym|anonim[oa]|anonyme|nobody|niemand|nadie|personne|foo( bar)?|lorem ipsum.*|user ?\d*|admin|keiner|nemo|n\.? ?n\.?|prueba|essai)$/,
  company:
    /^(muster(firma|mann)?( (gmbh|ag|kg|ug|e\.? ?k\.?))?|beispiel(firma)?( (gmbh|ag|kg))?|((your|my|test|example|sample|demo|fake) )?company( name)?( (ltd|limited|inc|llc|gmbh)\.?)?|(test|example|demo|foo|foobar|foo bar) (gmbh|ltd|inc|sl|s\.l\.|sarl|company|firma|ag)|acme( (corp|corporation|inc|ltd|co)\.?)?|firma|firmenname|testfirma( gmbh)?|(mi )?empresa( (de )?(ejemplo|prueba|ficticia))?(,? s\.?l\.?)?|sociedad (de )?(ejemplo|prueba)|((ma|mon) )?(entreprise|societe)( (exemple|test|fictive))?|lorem ipsum.*)$/,
  street:
    /^((muster|beispiel|test)(strasse|str\.?|weg|gasse|allee|platz) ?\d*[a-z]?|calle falsa( \d+)?|(calle|avenida) (de )?(ejemplo|prueba|inventada),? ?\d*|123 (main|fake|example|test|sample) (street|st\.?|road|rd)|(1 |12 |123 )?rue (de l'|d')?(exemple|test)|(1 |123 )?(example|test|fake|sample) (street|road|st\.?)|(your |street )?address|street|strasse|adresse|direccion|calle|rue)$/,
  city: /^(muster(stadt|hausen|ort|dorf)|beispiel(stadt|ort|hausen)|teststadt|any(town|city)|test ?(city|town)|sample ?(city|town)|ciudad (de )?ejemplo|ciudad|ville exemple|villetest|ville|nowhere|nirgendwo)$/,
};

/** Whether a value is a name out of a sample, such as "Max Mustermann" or "Calle Falsa 123", or only says what is asked for. */
export function isStockName(meaning: Meaning, value: string): boolean {
  if (value.length > 80) return false;
  return stock[meaning === 'contact' ? 'person' : meaning]?.test(foldText(value)) === true;
}
