// What people write to each other about homes, meters and money, and what frauds write in the same words.
import { describe, expect, it } from 'vitest';
import { CheckRiskRequestSchema } from '../../src/gen/intelligence/workflow/v1/risk_pb.ts';
import { riskFamily } from '../../src/workflows/families/risk.ts';
import { ask } from './ask.ts';

const check = (text: string) => ask(riskFamily, CheckRiskRequestSchema, { text });

describe('a letter about a meter or a flat', () => {
  it.each([
    'Dear Mr Huber, the six digits on my electricity meter are 048213. Could you tell me the digits you have on record? I need them today because the supplier wants to close the account. Tom Kern, flat 4',
    'Dear tenant, please send us the digits of your meter by Friday, otherwise your consumption will be estimated.',
    'Dear landlord, the meter shows 004821. Please send me the code for the front door, the old code 4471 does not work.',
    'hi, moved in yesterday. meter reading 48213. pls send me your bank details so i can set up the standing order for the rent. thanks tom',
    'Liebe Mieterin, bitte lesen Sie den Zähler ab und schicken Sie uns die sechs Ziffern bis Freitag, sonst wird geschätzt.',
    'Der alte Zugang zum Mieterportal geht nicht, auch die alte Heizung ist nicht warm.',
    'Estimada inquilina: envíenos las cifras del contador antes del viernes; si no, se estimará el consumo.',
    'Envoyez-moi votre RIB pour que je fasse le virement du loyer.',
  ])('is no fraud: %s', (text) => {
    expect(check(text)).toMatchObject({ riskLevel: 'low', findings: [] });
  });
});

describe('the grandchild in custody', () => {
  it.each([
    'tu nieto está detenido',
    'Señora, su nieto está detenido, tuvo un accidente y necesita pagar la fianza hoy. Le mandamos a un mensajero por el dinero.',
    'Abuela soy Pablo he tenido un accidente y estoy en comisaria. Mi abogado pasará por casa a por 5000 euros',
    'Ihr Enkel wurde verhaftet',
    'Oma ich bins, hatte einen Unfall und sitze bei der Polizei. Mein Anwalt kommt vorbei und holt 5000 Euro',
    'your grandson is under arrest',
    "Grandma it's me, I had an accident and I'm in jail. My lawyer will come by for the bail, 5000 in cash",
    'votre petit-fils est en prison',
    'Mamie c’est moi, j’ai eu un accident, je suis au commissariat, mon avocat va passer chercher 5000 euros',
  ])('is a sign of impersonation: %s', (text) => {
    const { riskLevel, findings } = check(text);
    expect(riskLevel).not.toBe('low');
    expect(findings.map(({ category }) => category)).toContain('impersonation');
  });

  it.each([
    'My grandson was arrested in 1998 and later became a teacher. A biography.',
    'Police arrested a man who had told pensioners that their grandson was in custody.',
    'Mein Enkel hatte einen Unfall mit dem Rad, aber es geht ihm gut. Wir zahlen die Reparatur.',
    'Mi nieto está detenido en la segunda base y el partido sigue.',
    'Mon petit-fils a eu un accident de vélo, rien de grave, il passera chercher son cartable.',
  ])('is none where it is told: %s', (text) => {
    expect(check(text).riskLevel).toBe('low');
  });
});
