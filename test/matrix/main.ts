import { checkCrossProduct } from './cross-product';
import { checkMutatedFiles } from './fuzz';
import { Tally } from './tally';
import { checkWrongInputs } from './wrong-inputs';

type Part = (tally: Tally, progress: (text: string) => void) => void;

const PARTS: Readonly<Record<string, Part>> = {
  'cross-product': checkCrossProduct,
  'wrong-inputs': checkWrongInputs,
  'mutated-files': checkMutatedFiles,
};

/** usage: tsx test/matrix/main.ts [PART…]; without parts all run. The last line is `N passed, N failed`. */
function main(names: readonly string[]): void {
  const chosen = names.length > 0 ? names : Object.keys(PARTS);
  const tallies = chosen.map((name) => {
    const part = PARTS[name];
    if (part === undefined)
      throw new Error(`there is no part '${name}': parts are ${Object.keys(PARTS).join(', ')}`);
    const tally = new Tally();
    const started = Date.now();
    part(tally, (text) => {
      console.log(`${name}: ${text}`);
    });
    if (tally.failed > 0) console.log(tally.report());
    console.log(
      `${name}: ${tally.passed} passed, ${tally.failed} failed in ${((Date.now() - started) / 1000).toFixed(0)} s`,
    );
    return tally;
  });
  const failed = tallies.reduce((sum, tally) => sum + tally.failed, 0);
  console.log(`${tallies.reduce((sum, tally) => sum + tally.passed, 0)} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

main(process.argv.slice(2));
