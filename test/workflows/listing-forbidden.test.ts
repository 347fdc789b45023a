// What may not be offered at all: it blocks, and the next action is about it and not about what else is missing.
import { describe, expect, it } from 'vitest';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { ask } from './ask.ts';

const score = (title: string, description: string, category: string, price?: number) =>
  ask(readinessFamily, ScoreListingRequestSchema, {
    listing: {
      ...{ title, description, category, currency: 'EUR', location: 'Graz' },
      ...(price === undefined ? {} : { price }),
      images: [{ url: 'https://img.example/1.jpg' }],
    },
  });

describe('what the law forbids', () => {
  it.each([
    [
      'not-a-bought-paper',
      'Permis de conduire sans examen',
      'Obtenez votre permis B enregistré en préfecture, sans examen ni code, livré en deux semaines. Discrétion assurée, plus de cent clients satisfaits. Paiement à la livraison.',
      'Services',
    ],
    [
      'not-a-bought-paper',
      'Führerschein ohne Prüfung kaufen',
      'Klasse B, beim Amt registriert, ohne Prüfung und ohne Fahrschule. Lieferung in zwei Wochen, diskret.',
      'Dienstleistungen',
    ],
    [
      'not-a-bought-paper',
      'Carnet de conducir sin examen',
      'Permiso B registrado en la DGT, sin examen, entrega en dos semanas con discreción.',
      'Servicios',
    ],
    [
      'not-a-bought-paper',
      'Driving licence without test',
      'Full UK licence registered with the DVLA, no test needed, delivered in two weeks. Discreet.',
      'Services',
    ],
    [
      'no-drugs-without-prescription',
      'Tramadol 100 mg ohne Rezept',
      'Originalverpackt, 50 Tabletten, ohne Rezept. Versand diskret am selben Tag. Mengenrabatt auf Anfrage.',
      'Gesundheit',
    ],
    [
      'no-drugs-without-prescription',
      'Ozempic sin receta',
      'Plumas originales sin receta, envío discreto en frío a toda España.',
      'Salud',
    ],
    [
      'no-drugs-without-prescription',
      'Ozempic sans ordonnance',
      'Stylos neufs, dans leur boîte, sans ordonnance. Envoi discret et rapide partout en France.',
      'Santé',
    ],
    [
      'no-drugs-without-prescription',
      'Xanax without prescription',
      'Original tablets without prescription, discreet postage the same day.',
      'Health',
    ],
    ['no-drugs-without-prescription', 'Viagra ohne Rezept', 'Potenzmittel rezeptfrei, 30 Stück.', 'Gesundheit'],
    [
      'not-lost-property',
      'iPhone 14 Pro, iCloud locked',
      'Found on the bus last week, iCloud locked. Screen is perfect, for parts or somebody who can unlock it.',
      'Phones',
    ],
    [
      'not-lost-property',
      'iPhone 14 Pro iCloud gesperrt',
      'Letzte Woche im Bus gefunden, iCloud gesperrt. Display einwandfrei.',
      'Handys',
    ],
    [
      'not-lost-property',
      'iPhone 14 bloqueado',
      'Encontrado en el autobús la semana pasada, bloqueado por iCloud.',
      'Móviles',
    ],
    [
      'not-lost-property',
      'iPhone 14 bloqué iCloud',
      'Trouvé dans le bus la semaine dernière, bloqué iCloud. Écran parfait.',
      'Téléphones',
    ],
    [
      'not-a-bought-paper',
      'Medical certificates signed',
      'Sick notes signed by a doctor for any dates, 40 pounds, sent by mail within the hour. No questions, no consultation.',
      'Services',
    ],
    [
      'not-a-bought-paper',
      'Krankschreibung ohne Arztbesuch',
      'Attest vom Arzt unterschrieben, für jedes Datum, 40 Euro, ohne Untersuchung.',
      'Dienstleistungen',
    ],
    [
      'not-a-bought-paper',
      'Justificante médico firmado',
      'Bajas y justificantes médicos firmados para cualquier fecha, sin consulta, 40 euros.',
      'Servicios',
    ],
    [
      'not-a-bought-paper',
      'Certificat médical signé',
      'Arrêts maladie signés par un médecin, sans consultation, pour toutes dates, 40 euros.',
      'Services',
    ],
    [
      'no-work-of-others',
      'Bachelorarbeit schreiben lassen',
      'Wir schreiben deine Bachelorarbeit oder Masterarbeit, plagiatsfrei, jedes Fach, ab 30 Euro pro Seite.',
      'Dienstleistungen',
    ],
    [
      'no-work-of-others',
      'I write your bachelor thesis',
      'Bachelor and master theses written by a graduate, plagiarism free, any subject.',
      'Services',
    ],
    [
      'no-work-of-others',
      'Hago tu TFG',
      'Hago tu TFG o TFM completo, sin plagio, cualquier carrera, entrega en un mes.',
      'Servicios',
    ],
    [
      'no-work-of-others',
      'Je rédige votre mémoire',
      'Rédaction de mémoires de licence et master, sans plagiat, toutes matières, livrés en un mois.',
      'Services',
    ],
    [
      'no-shared-accounts',
      'Netflix Premium lifetime',
      'Shared account with own profile, lifetime access, 4K, works in all countries. Login is sent after payment.',
      'Streaming',
    ],
    [
      'no-shared-accounts',
      'Netflix Premium lebenslang',
      'Geteiltes Konto mit eigenem Profil, lebenslang, 4K. Zugangsdaten nach Zahlung.',
      'Streaming',
    ],
    [
      'no-shared-accounts',
      'Cuenta Netflix de por vida',
      'Cuenta compartida con perfil propio, de por vida, 4K.',
      'Streaming',
    ],
    [
      'no-shared-accounts',
      'Compte Netflix à vie',
      'Compte partagé avec profil, accès à vie, 4K. Identifiants envoyés après paiement.',
      'Streaming',
    ],
    [
      'not-a-bought-paper',
      "Plaques d'immatriculation sans justificatif",
      'Plaques toutes immatriculations, sans justificatif ni carte grise, livraison en 48 h.',
      'Auto',
    ],
    [
      'not-a-bought-paper',
      'Number plates, no documents needed',
      'Any registration, no documents or proof of ownership needed, posted in 48 hours.',
      'Car parts',
    ],
    [
      'not-a-bought-paper',
      'Kennzeichen ohne Nachweis',
      'Nummernschilder mit jeder Nummer, ohne Fahrzeugschein, Versand in 48 Stunden.',
      'Autoteile',
    ],
    [
      'not-a-bought-paper',
      'Matrículas sin documentación',
      'Placas de matrícula con cualquier número, sin documentación, envío en 48 horas.',
      'Recambios',
    ],
    [
      'work-is-paid',
      'Data entry from home',
      'Earn 900 a week typing. Pay a registration fee of 35 pounds before you start, refunded with the first salary. Apply today, full time or part time.',
      'Jobs',
    ],
    [
      'work-is-paid',
      'Datenerfassung zu Hause',
      'Verdiene 900 Euro pro Woche. Vor dem Start ist eine Gebühr von 35 Euro für die Schulung zu zahlen. Bewirb dich heute.',
      'Jobs',
    ],
    [
      'work-is-paid',
      'Trabajo desde casa',
      'Gana 900 euros por semana. Antes de empezar hay que pagar 35 euros de inscripción para el material.',
      'Empleo',
    ],
    [
      'work-is-paid',
      'Travail à domicile',
      "Gagnez 900 euros par semaine. Avant de commencer, versez 35 euros de frais d'inscription.",
      'Emplois',
    ],
  ])('%s: %s', (check, title, description, category) => {
    // Without a price, too: to add one would be no help.
    const { ready, blockers, nextBestAction } = score(title, description, category);
    expect(ready).toBe(false);
    const stop = blockers.find((one) => one.check === check);
    expect(stop).toBeDefined();
    expect(nextBestAction).toBe(stop?.action);
  });
});

describe('what only sounds like it', () => {
  it.each([
    [
      'Übersetzungen Deutsch-Englisch',
      'Ich übersetze Ihre Texte, auch Bachelorarbeiten, und lektoriere sie. 30 Euro pro Seite.',
      'Dienstleistungen',
    ],
    ['Proofreading of theses', 'I proofread bachelor and master theses in English, fast and careful.', 'Services'],
    [
      'Fahrschule',
      'Führerschein Klasse B, Theorie und Prüfung in vier Wochen, freundliche Lehrer.',
      'Dienstleistungen',
    ],
    ['Voiture sans permis', 'Ligier JS50, 2019, 12 000 km, sans permis, diesel, automatique.', 'Voitures'],
    ['Ferienwohnung', 'Haben Sie etwas im Bus gefunden? Nein: 60 qm, zwei Zimmer.', ''],
    ['Blutdruckmessgerät', 'Auf Rezept bekommen, nie benutzt, originalverpackt.', 'Gesundheit'],
    ['Spotify-Box', 'Lautsprecher mit Spotify und Netflix, Konto nötig.', 'Audio'],
    [
      'Medical certificate needed for the race',
      'Running club in Leeds, weekly training. Please bring a medical certificate signed by your doctor.',
      'Sports',
    ],
    [
      'Study guide: how to write your thesis',
      'Paperback on writing a bachelor thesis, read once, no notes in it, like new.',
      'Books',
    ],
    [
      'Laptop Lenovo ThinkPad T14, 512 GB',
      'Sehr guter Zustand. Ich habe darauf meine Bachelorarbeit geschrieben.',
      'Notebooks',
    ],
    [
      'Fernseher LG 43UP75006LF',
      'Guter Zustand, mit Netflix und Spotify. Lebenslange Garantie gibt es nicht.',
      'Fernseher',
    ],
    ['Oldtimer-Kennzeichen aus Blech', 'Altes Nummernschild als Wandschmuck, Rost am Rand, 40 cm breit.', 'Sammeln'],
  ])('%s', (title, description, category) => {
    const { blockers, findings } = score(title, description, category, 400);
    expect(blockers).toEqual([]);
    expect(findings.filter(({ severity }) => severity === 'critical')).toEqual([]);
  });
});
