import type {
  RayClusterSpec as GeneratedSpec,
  RayClusterSpecHeadGroupSpec as GeneratedHeadGroup,
  RayClusterSpecWorkerGroupSpecs as GeneratedWorkerGroup,
  RayClusterSpecWorkerGroupSpecsTemplate as GeneratedTemplate,
} from '../../imports/ray.io';

/** A Kubernetes quantity as it stands in a manifest: `'16Gi'`, `'500m'`, `4`. */
export type Quantity = string | number;

/**
 * A generated type as the plain JSON that is rendered: the generated quantity classes (`{ value }` and nothing else) become
 * {@link Quantity}, enums become their literals, dates become text.
 */
type Plain<T> = T extends string
  ? `${T}`
  : T extends number | boolean | undefined
    ? T
    : T extends Date
      ? string
      : T extends readonly (infer Item)[]
        ? readonly Plain<Item>[]
        : IsQuantityClass<T> extends true
          ? Quantity
          : { readonly [Key in keyof T]: Plain<T[Key]> };

type IsQuantityClass<T> = T extends { readonly value: Quantity }
  ? [keyof T] extends ['value']
    ? true
    : false
  : false;

/** Labels, annotations and permissions of a pod, and its spec. Head, worker groups and submitter share this one type. */
export type PodTemplate = Plain<GeneratedTemplate>;

/** The pod spec inside a {@link PodTemplate}, as the newest known KubeRay embeds it. */
export type PodSpec = NonNullable<PodTemplate['spec']>;

/** One container of a pod. Any resource name, `google.com/tpu` included, fits its resources. */
export type Container = PodSpec['containers'][number];

/** One environment variable of a container: a literal value, or a reference. */
export type EnvVar = NonNullable<Container['env']>[number];

/** One volume of a pod. */
export type Volume = NonNullable<PodSpec['volumes']>[number];

/** Where a container sees a volume. */
export type VolumeMount = NonNullable<Container['volumeMounts']>[number];

/** The head of a RayCluster. */
export type HeadGroupSpec = Omit<Plain<GeneratedHeadGroup>, 'template'> & { readonly template: PodTemplate };

/**
 * One worker group of a RayCluster. `replicas` may be left out (the CRD then says 0), and is when the Ray autoscaler owns it; the bounds
 * may not. The CRD's default of `numOfHosts` is 1.
 */
export type WorkerGroupSpec = Omit<Plain<GeneratedWorkerGroup>, 'template'> & {
  readonly template: PodTemplate;
};

/** The spec of a `ray.io/v1` RayCluster. */
export type RayClusterSpec = Omit<Plain<GeneratedSpec>, 'headGroupSpec' | 'workerGroupSpecs'> & {
  readonly headGroupSpec: HeadGroupSpec;
  readonly workerGroupSpecs?: readonly WorkerGroupSpec[];
};
