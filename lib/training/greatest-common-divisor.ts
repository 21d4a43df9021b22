/** The largest whole number that divides both; of a number and 0 it is the number. */
export function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
