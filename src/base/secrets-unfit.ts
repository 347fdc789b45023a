/** The secrets file is not the one that the database was used with. The message says what does not fit and what to do. */
export class SecretsUnfitError extends Error {
  override readonly name = 'SecretsUnfitError';
}
