/** The currencies in use, by ISO 4217 (list one), without funds and metals, and without KGS, which is how people write kilograms. */
const codes =
  'aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bhd bif bmd bnd bob brl bsd btn bwp byn bzd cad cdf chf clp cny cop crc cup cve czk djf dkk dop dzd egp ern etb eur fjd fkp gbp gel ghs gip gmd gnf gtq gyd hkd hnl htg huf idr ils inr iqd irr isk jmd jod jpy kes khr kmf kpw krw kwd kyd kzt lak lbp lkr lrd lsl lyd mad mdl mga mkd mmk mnt mop mru mur mvr mwk mxn myr mzn nad ngn nio nok npr nzd omr pab pen pgk php pkr pln pyg qar ron rsd rub rwf sar sbd scr sdg sek sgd shp sle sos srd ssp stn svc syp szl thb tjs tmt tnd top try ttd twd tzs uah ugx usd uyu uzs ves vnd vuv wst xaf xcd xof xpf yer zar zmw zwg';

/** What is written for one currency alone, and by how much it is to be multiplied; `$` is that of the United States unless a code says another. */
const written: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  eur: { '€': 1, euro: 1, euros: 1, ct: 0.01, cts: 0.01, eurocent: 0.01, eurocents: 0.01, centimos: 0.01 },
  gbp: { '£': 1, pence: 0.01 },
  usd: { $: 1, us$: 1, '¢': 0.01 },
  chf: { fr: 1, franken: 1, rappen: 0.01 },
  ...{ mxn: { mx$: 1 }, brl: { r$: 1 }, cad: { c$: 1, ca$: 1 }, aud: { a$: 1, au$: 1 }, nzd: { nz$: 1 } },
  ...{ hkd: { hk$: 1 }, sgd: { s$: 1 }, inr: { '₹': 1 }, krw: { '₩': 1 }, vnd: { '₫': 1 }, thb: { '฿': 1 } },
  ...{ uah: { '₴': 1 }, rub: { '₽': 1 }, try: { '₺': 1 }, ils: { '₪': 1 }, pln: { zł: 1 }, czk: { kc: 1 } },
};

/** Units of money by currency, as units are of what they measure. */
export const moneyMeasures: Readonly<Record<string, Readonly<Record<string, number>>>> = Object.fromEntries(
  codes.split(' ').map((code) => [code, { [code]: 1, ...written[code] }]),
);

/** Codes that are words, names or other abbreviations as well: they are currencies only in capitals. */
const wordsToo: ReadonlySet<string> = new Set(
  'aed all amd bam bob cad cup gel ils lak mop pen php ron rub sek sos top try'.split(' '),
);

/** Whether a unit, in small letters, can be meant by a text: "12 all" is no sum of Albanian money. */
export function canBeMoney(unit: string, text: string): boolean {
  return !wordsToo.has(unit) || text.includes(unit.toUpperCase());
}

const withDollarSign: ReadonlySet<string> = new Set(
  'ars aud bbd bmd bnd bsd bzd cad clp cop cup dop fjd gyd hkd jmd kyd lrd mxn nad nzd sbd sgd srd ttd twd usd uyu xcd'.split(
    ' ',
  ),
);

/** Whether a sign before a number is that of a currency: `$` of `$1,250 MXN`. */
export function isSignOf(sign: string, currency: string): boolean {
  return sign === '$' ? withDollarSign.has(currency) : (moneyMeasures[currency]?.[sign] ?? 0) === 1;
}
