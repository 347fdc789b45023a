// Every shop, door and page asks for codes and passwords; what for and how decides.
import { describe, expect, it } from 'vitest';
import { checkRisk } from '../evaluation/measure.ts';

describe('codes', () => {
  it.each([
    'Gib den Code ein und drücke OK.',
    'Gib den Code vom Plakat ein und lade deine Fotos hoch.',
    'Introduce el código promocional al pagar.',
    'Introduce el código del cartel y sube tus fotos.',
    'Entrez le code de la porte, puis montez au deuxième.',
    'Entrez le code promo à la caisse.',
    'Type the code from the poster or scan it, and we upload your photos to the album.',
    'Bezahl bitte bis Freitag, sonst posten wir dein Inserat nicht.',
  ])('are no phishing where they open nothing of anybody: %s', (text) => {
    expect(checkRisk(text)).toMatchObject({ riskLevel: 'low', findings: [] });
  });

  it.each([
    'Bestätigen Sie sofort Ihren Sicherheitscode.',
    'Confirme el código de seguridad de su tarjeta en este enlace.',
    'Saisissez le code reçu par SMS pour débloquer votre compte.',
    'Schick mir den Code, den du gerade per SMS bekommen hast.',
  ])('are, where they open an account: %s', (text) => {
    const { riskLevel, findings } = checkRisk(text);
    expect(riskLevel).toBe('high');
    expect(findings.map(({ category }) => category)).toContain('phishing');
  });

  // The words of any page to sign in at. What presses, or leads somewhere, makes it worse.
  it.each([
    'Enter your password to sign in.',
    'Gib dein Passwort ein, um dich anzumelden.',
    'Introduce tu contraseña para entrar en la app.',
    'Saisissez votre mot de passe pour vous connecter.',
  ])('are to be looked at, no more, where a page asks for them: %s', (text) => {
    expect(checkRisk(text)).toMatchObject({ riskLevel: 'medium', findings: [{ category: 'phishing' }] });
  });

  it.each([
    'Send me the gift card codes by tonight or we post your pictures.',
    'Schick mir die Codes bis heute Abend, sonst posten wir deine Bilder.',
    'Mándame los códigos esta noche o publicamos tus fotos.',
    'Envoie les codes ce soir ou on publie tes photos.',
  ])('are blackmail, where pictures are the means: %s', (text) => {
    const { riskLevel, findings } = checkRisk(text);
    expect(riskLevel).toBe('high');
    expect(findings.map(({ category }) => category)).toEqual(['threat']);
  });
});
