// Who hires, in the openings of job ads.
import { describe, expect, it } from 'vitest';
import { readFacts } from '../../src/workflows/listing/facts.ts';

const employerIn = (description: string) =>
  readFacts(`Offer\n${description}`, {}, 'jobs').facts.find(({ name }) => name === 'employer')?.value;

describe('an employer', () => {
  it.each([
    ['Chez Nuvéo (Lyon), nous recrutons un comptable en CDI.', 'Nuvéo'],
    ['Chez Nuvéo à Lyon, on recherche un commis.', 'Nuvéo'],
    ['At Nuvéo, we are hiring a cook.', 'Nuvéo'],
    ["At Harbour & Quay, we're looking for a chef.", 'Harbour & Quay'],
    ['We at Nuvéo are looking for a cook.', 'Nuvéo'],
    ['At The Red Lion we need a chef.', 'The Red Lion'],
    ['Bei Nuvéo suchen wir einen Koch in Vollzeit.', 'Nuvéo'],
    ['Bei der Stadtbäckerei Huber suchen wir Verstärkung.', 'Stadtbäckerei Huber'],
    ['Wir bei Nuvéo suchen einen Koch.', 'Nuvéo'],
    ['En Nuvéo buscamos cocinero a jornada completa.', 'Nuvéo'],
    ['En Talleres García estamos buscando mecánico.', 'Talleres García'],
    ['Arbeitgeber: Nuvéo. Vollzeit.', 'Nuvéo'],
    ['Join Nuvéo as a cook, full time.', 'Nuvéo'],
    ['Rejoignez Nuvéo, commis de cuisine en CDI.', 'Nuvéo'],
    ['Harwood & Lane Ltd is hiring a full-time accountant.', 'Harwood & Lane Ltd'],
    ['Huber + Söhne GmbH sucht Schlosser.', 'Huber + Söhne GmbH'],
    ['Hausarztpraxis Dr. Vogel sucht eine MFA in Teilzeit.', 'Hausarztpraxis Dr. Vogel'],
    ['Rechtsanwaltskanzlei Dr. Anna Berg sucht eine Assistenz.', 'Rechtsanwaltskanzlei Dr. Anna Berg'],
  ])('of %s', (description, employer) => {
    expect(employerIn(description)).toBe(employer);
  });

  it.each([
    'At present, we are hiring a cook.',
    'At Present we are hiring a cook.',
    'At the moment, we are looking for a cook.',
    'At Christmas, we need more people.',
    'Bei uns suchen wir einen Koch. Bei Interesse suchen wir einen Termin.',
    'Bei Bedarf suchen wir Aushilfen.',
    'En Madrid buscamos cocinero.',
    'En Navidad necesitamos camareros.',
    'En nuestra cocina buscamos ayudante.',
    'Join Our Team as a cook.',
    'Chez nous, nous recrutons un commis.',
  ])('is not named by: %s', (description) => {
    expect(employerIn(description)).toBeUndefined();
  });
});
