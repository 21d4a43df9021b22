/** A small repeatable generator (mulberry32): the same seed makes the same files on every machine. */
export class Random {
  private state: number;

  public constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** A whole number from 0 up to, not including, `end`. */
  public below(end: number): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
  }

  /** One of a list that is not empty. */
  public pick<T>(list: readonly T[]): T {
    const picked = list[this.below(list.length)];
    if (picked === undefined) throw new Error('nothing to pick from an empty list');
    return picked;
  }
}
