// Where ajv-formats 2.1.1 and we read a format in different ways, on purpose.
// docs/validation.md has the same table in words.

/// A function for what ajv-formats has: that, a pattern or an object with it.
function stock(format) {
  const check = format.validate ?? format;
  return check instanceof RegExp ? (text) => check.test(text) : check;
}

/// RFC 3339 wants the zone, with a colon, and a T; ajv-formats wants neither.
const dateTime =
    /^\d{4}-\d\d-\d\dT(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|([+-])(\d\d):(\d\d))$/i;

/// Whether :60 stands where a leap second can be, the last minute of a day in
/// UTC. ajv-formats looks at the local time.
function leapSecondFits([, hour, minute, second, sign, east, minutes]) {
  if (second !== '60') {
    return true;
  }
  const offset = (sign === '-' ? -1 : 1) * (Number(east ?? 0) * 60 + Number(minutes ?? 0));
  const utc = Number(hour) * 60 + Number(minute) - offset;
  return (utc + 2 * 1440) % 1440 === 1439;
}

/// RFC 5321: also `a@localhost`, quoted names and addresses in brackets, and
/// names of at most 256 and hosts of at most 253 bytes. ajv-formats wants two
/// labels or more.
const word = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+";
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const email = new RegExp(
    `^(${word}(?:\\.${word})*|"(?:[ !#-[\\]-~\x7f]|\\\\[ -~\x7f])*")@` +
        `(${label}(?:\\.${label})*|\\[[0-9a-f.:IPv]+\\])$`,
    'i');

/// [name, check] of each format that differs.
export function asWeReadThem(formats) {
  const date = stock(formats['date']);
  const uuid = stock(formats['uuid']);
  const [ipv4, ipv6] = [stock(formats['ipv4']), stock(formats['ipv6'])];
  return [
    ['date-time', (text) => {
      const parts = dateTime.exec(text);
      return parts !== null && date(text.slice(0, 10)) && leapSecondFits(parts) &&
          Number(parts[1]) < 24 && Number(parts[2]) < 60 && Number(parts[3]) <= 60 &&
          Number(parts[5] ?? 0) < 24 && Number(parts[6] ?? 0) < 60;
    }],
    ['email', (text) => {
      const [, name, host] = email.exec(text) ?? [];
      if (name === undefined || name.length > 256 || host.length > 253) {
        return false;
      }
      const address = host.startsWith('[') ? host.slice(1, -1) : undefined;
      return address === undefined || ipv4(address) ||
          (address.startsWith('IPv6:') && ipv6(address.slice(5)));
    }],
    // A UUID is what RFC 4122 writes in hexadecimal; `urn:uuid:` makes it a URI.
    ['uuid', (text) => uuid(text) && !/^urn:/i.test(text)],
  ];
}
