/** Options of the TorchTPU collectives check: Ray Core, one actor per device. */
export interface TorchTpuCollectivesSpec {
  readonly kind: 'torchtpu-collectives';
  /**
   * Rows and columns of the matrices whose product is compared.
   * @asType integer
   * @minimum 8
   * @maximum 1048576
   * @default 1024
   */
  readonly matrixSize?: number;
  /**
   * How long the slice may take to be reserved.
   * @default "60m"
   */
  readonly startDeadline?: string;
  /** Environment of the processes, on top of the pods'. */
  readonly env?: Readonly<Record<string, string>>;
  /** Further options of the trainer, as in --seed=7: batch-size, seed, step-timeout, tolerance. */
  readonly arguments?: readonly string[];
}

/** Options of the TorchTPU fine-tune: Ray Train, FSDP2. */
export interface TorchTpuFinetuneSpec {
  readonly kind: 'torchtpu-finetune';
  /**
   * Model on the Hugging Face hub, or a path beneath a shared mount.
   * @default "google/gemma-4-E2B-it"
   */
  readonly model?: string;
  /**
   * Dataset on the hub, a JSON-lines file or folder beneath a shared mount.
   * @default "databricks/databricks-dolly-15k"
   */
  readonly dataset?: string;
  /** Where checkpoints and the export go: gs://… or a path beneath a shared mount. */
  readonly storagePath: string;
  /**
   * @asType integer
   * @minimum 1
   * @maximum 1000000
   * @default 3
   */
  readonly epochs?: number;
  /**
   * Examples per device.
   * @asType integer
   * @minimum 1
   * @maximum 1000000
   * @default 4
   */
  readonly perDeviceBatchSize?: number;
  /**
   * Of AdamW, constant.
   * @exclusiveMinimum 0
   * @maximum 1
   * @default 0.00002
   */
  readonly learningRate?: number;
  /**
   * Tokens per example.
   * @asType integer
   * @minimum 8
   * @maximum 16777216
   * @default 512
   */
  readonly maxLength?: number;
  /**
   * Rows of the dataset that are used, from its beginning; 0 uses all.
   * @asType integer
   * @minimum 0
   * @maximum 1000000000
   * @default 1024
   */
  readonly rows?: number;
  /**
   * How often training starts again after a worker was lost.
   * @default 3
   * @asType integer
   * @minimum 0
   * @maximum 1000000
   */
  readonly maxFailures?: number;
  /**
   * Longest time from a start or restart to its first completed step: downloads and compilation included.
   * @default "60m"
   */
  readonly startDeadline?: string;
  /** Environment of the processes, on top of the pods'. */
  readonly env?: Readonly<Record<string, string>>;
  /** Further options of the trainer, as in --seed=7; docs/torchtpu-finetune.md lists them. */
  readonly arguments?: readonly string[];
}

/** Options of any TorchTPU trainer. */
export type TorchTpuSpec = TorchTpuCollectivesSpec | TorchTpuFinetuneSpec;
