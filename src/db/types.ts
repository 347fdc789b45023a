import type { TypeCast } from 'mysql2';

/**
 * How columns are converted to values, the same on MariaDB and MySQL:
 *
 * | column | value |
 * |---|---|
 * | BIGINT, COUNT(*), SUM of integers | `bigint`: exact, never a number |
 * | INT and smaller | `number` |
 * | TINYINT(1) | `boolean` |
 * | DECIMAL with digits after the point | `string` |
 * | DATETIME, TIMESTAMP | `Date`, UTC, to the millisecond |
 * | VARBINARY (ids, idempotency keys) | `string` |
 * | BINARY(n), BLOB | `Buffer` |
 * | JSON | `string`: MariaDB stores it as text, so both servers give text |
 *
 * So bytes (hashes, ciphertext) live in BINARY(n) or BLOB, and VARBINARY is for text that must compare byte by byte.
 */
export const castColumn: TypeCast = (field, next) => {
  // MariaDB flags text columns that are JSON, and the driver would parse them, rounding large integers.
  if (field.extendedFormat === 'json') return field.string('utf8');
  switch (field.type) {
    case 'LONGLONG': {
      const text = field.string('ascii');
      return text === null ? null : BigInt(text);
    }
    case 'NEWDECIMAL':
    case 'DECIMAL': {
      const text = field.string('ascii');
      return text === null || text.includes('.') ? text : BigInt(text);
    }
    case 'TINY': {
      const text = field.string('ascii');
      if (text === null) return null;
      return field.length === 1 ? text !== '0' : Number(text);
    }
    case 'VAR_STRING':
    case 'JSON':
      return field.string('utf8');
    default:
      return next();
  }
};
