import { durationSeconds, parseDuration } from '../../lib/kubernetes/duration';

test.each([
  ['45s', 45],
  ['90m', 5400],
  ['12h', 43_200],
  ['7d', 604_800],
])('%s is %d seconds', (text, seconds) => {
  expect(parseDuration(text)).toBe(seconds);
  expect(durationSeconds(text)).toBe(String(seconds));
});

test.each(['', '0m', '-1h', '1.5h', '90', 'h', '1h30m', '1 h', '1H', '01h', '1w', '12345678s'])(
  "'%s' is no duration",
  (text) => {
    expect(parseDuration(text)).toBeUndefined();
    expect(() => durationSeconds(text)).toThrow(
      `'${text}' is no duration: a duration is a whole number with a unit s, m, h or d, as in 90m or 12h`,
    );
  },
);
