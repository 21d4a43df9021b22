import type { TpuSlice } from '../../tpu';
import { usableHbmBytes } from '../compiler';
import type { SummaryRow, TrainerDocument, TrainerKindModule } from '../kind';
import { gib, rangeText } from '../words';
import { MAXTEXT_MODULE, PROGRAM_OPTIONS } from './command';
import { checkJaxPlatforms } from './jax-platforms';
import { checkOptionVariables } from './option-variables';
import { describeAxes } from './mesh';
import { planMaxText } from './plan';
import type { MaxTextFacts, MaxTextPlan } from './plan';
import type { MaxTextTrainerSpec } from './spec';

/** MaxText: pre-training with JAX, one process per host. */
export const MAXTEXT: TrainerKindModule<MaxTextTrainerSpec, MaxTextPlan> = {
  kind: 'maxtext',
  module: MAXTEXT_MODULE,
  image: { folder: 'maxtext', tag: '0.2.5' },
  // The user `ray` of Ray's images, on which MaxText's is built.
  user: { uid: 1000, gid: 100 },
  programOptions: PROGRAM_OPTIONS,
  checkEnvironment: (environment) => [
    ...checkJaxPlatforms(environment),
    ...checkOptionVariables(environment),
  ],
  plan: planMaxText,
  summary: ({ maxtext }, slice) => summaryOf(maxtext, slice),
  document: ({ maxtext }) => documentOf(maxtext),
  compiled: ({ maxtext }) => ({ maxtextArguments: maxtext.arguments }),
};

function summaryOf(facts: MaxTextFacts, slice: TpuSlice): SummaryRow[] {
  const parameters =
    facts.parameters === undefined ? '' : `, ${(facts.parameters / 1e9).toFixed(2)}B parameters`;
  const meshes = facts.meshes.map(({ slices, mesh }) => {
    const memory = stateAt(facts, slices);
    const state =
      memory === undefined
        ? 'memory not estimated'
        : `state ${gib(memory.stateBytes)} + gradients ${gib(memory.gradientBytes)} of ${gib(usableHbmBytes(slice))} per device; activations not counted`;
    return {
      name: facts.meshes.length > 1 ? `mesh at ${String(slices)}` : 'mesh',
      text: `ici ${describeAxes(mesh.ici)}, dcn ${describeAxes(mesh.dcn)}; ${state}`,
    };
  });
  return [
    { name: 'model', text: `${facts.model}${parameters}, ${rangeText(facts.globalBatch)} examples a step` },
    ...meshes,
    ...(facts.meshReasons.length === 0 ? [] : [{ name: 'mesh default', text: facts.meshReasons.join('; ') }]),
  ];
}

function documentOf(facts: MaxTextFacts): TrainerDocument {
  return {
    trainer: {
      model: facts.model,
      maxtextArguments: facts.arguments,
      globalBatch: facts.globalBatch,
    },
    run: {
      parameters: facts.parameters ?? null,
      // The meshes of an elastic range are in `memory`.
      mesh: facts.meshes.at(-1)?.mesh,
      memory: facts.meshes.map(({ slices, mesh }) => ({
        slices,
        mesh,
        state: stateAt(facts, slices) ?? null,
      })),
    },
  };
}

function stateAt(
  { memory }: MaxTextFacts,
  slices: number,
): MaxTextFacts['memory'][number]['state'] | undefined {
  return memory.find((size) => size.slices === slices)?.state;
}
