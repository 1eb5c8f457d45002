// Dates in headers (RFC 9110, section 5.6.7): the current format, and the two obsolete ones that must still be accepted.
// `Date.parse` accepts much more, but anything that is not an HTTP-date must be ignored.

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const month = `(?<month>${months.join('|')})`;
const time = '(?<hour>[01]\\d|2[0-3]):(?<minute>[0-5]\\d):(?<second>[0-5]\\d|60)';
const shortDay = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const longDay = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day';

const formats = [
  // Sun, 06 Nov 1994 08:49:37 GMT
  new RegExp(`^${shortDay}, (?<day>\\d\\d) ${month} (?<year>\\d{4}) ${time} GMT$`),
  // Sunday, 06-Nov-94 08:49:37 GMT
  new RegExp(`^${longDay}, (?<day>\\d\\d)-${month}-(?<year>\\d\\d) ${time} GMT$`),
  // Sun Nov  6 08:49:37 1994
  new RegExp(`^${shortDay} ${month} (?<day>[ \\d]\\d) ${time} (?<year>\\d{4})$`),
];

/** Milliseconds since 1970; null: it is not an HTTP-date. */
export function readHttpDate(text: string, nowMs = Date.now()): number | null {
  const parts = formats.map((format) => format.exec(text)?.groups).find((groups) => groups !== undefined);
  if (parts === undefined) return null;
  const [day, hour, minute, second] = [parts.day, parts.hour, parts.minute, parts.second].map(Number) as Four;
  const toMs = (year: number) => {
    const date = new Date(0);
    // Unlike Date.UTC, this does not map the years before 100 to the 20th century.
    date.setUTCFullYear(year, months.indexOf(parts.month ?? ''), day);
    return date.getUTCDate() === day ? date.setUTCHours(hour, minute, second) : null;
  };
  const { year = '' } = parts;
  return year.length === 4 ? toMs(Number(year)) : toMs(toFullYear(Number(year), nowMs));
}

type Four = [number, number, number, number];

/** "A timestamp that appears to be more than 50 years in the future" represents "the most recent year in the past that had
 *  the same last two digits". */
function toFullYear(lastDigits: number, nowMs: number): number {
  const thisYear = new Date(nowMs).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + lastDigits;
  return year > thisYear + 50 ? year - 100 : year;
}
