import type { NamedPlace } from '../../../contracts/secrets/redact-places.ts';

/** The lengths of the registry of ISO 13616, by country. */
const LENGTHS = new Map(
  (
    '15NO 16BE 18DK18FI18FO18GL18NL18SD 19MK19SI 20AT20BA20EE20KZ20LT20LU20MN20XK 21CH21HR21LI21LV ' +
    '22BG22BH22CR22DE22GB22GE22IE22ME22RS22VA 23AE23GI23IL23IQ23OM23SO23TL 24AD24CZ24ES24MD24PK24RO24SA24SE24SK24TN24VG ' +
    '25LY25PT25ST 26IS26TR 27BI27DJ27FR27GR27IT27MC27SM 28AL28AZ28BY28CY28DO28GT28HN28HU28LB28NI28PL28SV ' +
    '29BR29EG29PS29QA29UA 30JO30KW30MU30YE 31MT31SC 32LC 33RU'
  )
    .match(/\d\d[A-Z]{2}/g)
    ?.map((each) => [each.slice(2), Number(each.slice(0, 2))] as const),
);

const BEGIN = /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?=[ -]?[A-Za-z0-9])/g;

/** The IBANs in a text: of a country, as long as its are, with or without spaces, that pass the check of ISO 7064. */
export const ibans = (text: string): readonly NamedPlace[] =>
  Array.from(text.matchAll(BEGIN)).flatMap(({ index: start }) => {
    const length = LENGTHS.get(text.slice(start, start + 2).toUpperCase());
    const end = length === undefined ? undefined : endOf(text, start, length);
    if (end === undefined) return [];
    const written = text.slice(start, end).replaceAll(/[ -]/g, '').toUpperCase();
    return passesMod97(written) ? [{ start, end, name: 'IBAN' }] : [];
  });

/** The position after this number of letters and digits, with at most one space or hyphen between two; undefined if they are not there. */
const endOf = (text: string, start: number, length: number): number | undefined => {
  let at = start;
  for (let count = 0; count < length; at += 1) {
    const character = text.charAt(at);
    if (/[A-Za-z0-9]/.test(character)) count += 1;
    else if (!/[ -]/.test(character) || !/[A-Za-z0-9]/.test(text.charAt(at + 1))) return undefined;
  }
  return /[A-Za-z0-9]/.test(text.charAt(at)) ? undefined : at;
};

const passesMod97 = (iban: string): boolean => {
  let rest = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4))
    for (const digit of String(Number.parseInt(character, 36))) rest = (rest * 10 + Number(digit)) % 97;
  return rest === 1;
};
