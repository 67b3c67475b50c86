// Where ajv-formats 2.1.1 and we read a format in different ways, on purpose.
// docs/validation.md has the same table in words.

/// A function for what ajv-formats has: that, a pattern or an object with it.
function stock(format) {
  const check = format.validate ?? format;
  return check instanceof RegExp ? (text) => check.test(text) : check;
}

const time = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|([+-])(\d\d):(\d\d))$/i;

/// RFC 3339 wants the zone, with a colon; ajv-formats wants neither. A second
/// 60 is the last of a day in UTC; ajv-formats looks at the local time.
function isTime(text) {
  const [, hour, minute, second, sign, east = 0, minutes = 0] = time.exec(text) ?? [];
  if (hour === undefined || hour > 23 || minute > 59 || second > 60 || east > 23 ||
      minutes > 59) {
    return false;
  }
  const offset = (sign === '-' ? -1 : 1) * (east * 60 + Number(minutes));
  const utc = hour * 60 + Number(minute) - offset;
  return second < 60 || (utc + 2 * 1440) % 1440 === 1439;
}

/// ajv-formats reads `//host:port` with a port that is no number as a path, and
/// takes a host in brackets after one slash, where RFC 3986 has a path, which
/// has no brackets.
const authority = /^[^:/?#]+:\/\/(?:[^@/?#]*@)?(?:\[[^\]]*\]|[^:@/?#]*)(?::\d*)?(?:[/?#]|$)/;
const bracketInPath = /^[^:/?#]+:(?!\/\/)[^?#]*[[\]]/;

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
  const [uuid, uri, hostname, ipv4, ipv6] =
      ['uuid', 'uri', 'hostname', 'ipv4', 'ipv6'].map((name) => stock(formats[name]));
  return [
    ['time', isTime],
    // And a T between date and time, where ajv-formats takes a space as well.
    ['date-time', (text) => /^.{10}T/i.test(text) && date(text.slice(0, 10)) &&
        isTime(text.slice(11))],
    // RFC 3986 allows `x:`, with an empty path.
    ['uri', (text) => /^[a-z][a-z0-9+.-]*:$/i.test(text) ||
        (uri(text) && !bracketInPath.test(text) &&
            (authority.test(text) || !/^[^:/?#]+:\/\//.test(text)))],
    // Zeros in front, as in 010.0.0.1, mean octal to some readers.
    ['ipv4', (text) => ipv4(text) && !/(?:^|\.)0\d/.test(text)],
    // The dot at the end of an absolute name is no part of RFC 1123's syntax.
    ['hostname', (text) => hostname(text) && !text.endsWith('.')],
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
